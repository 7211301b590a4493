import { startAll } from "@/server/boot/start-all";
import { startSandbox } from "@/server/boot/start-sandbox";
import { startWeb } from "@/server/boot/start-web";
import { startWorker } from "@/server/boot/start-worker";
import { createStages, StoppedEarly } from "@/server/boot/stages";
import { flagsOf, optionLines, parseEnv, UsageError } from "@/server/env";
import { createLog } from "@/server/observability/log";

const starts = { all: startAll, web: startWeb, worker: startWorker, sandbox: startSandbox };

// Whoever read our output may go: that alone stops nothing, and telling of it would only fail again, and again.
for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);

const [command = "all", ...args] = process.argv.slice(2);
await main();

async function main() {
  if (args.includes("--help")) {
    say(["Options, each also an environment variable:", ...optionLines()].join("\n"));
    return;
  }
  const stages = createStages(say);
  // From the first moment on: a signal during the start undoes what was started.
  let interrupted = false;
  const stop = () => {
    if (interrupted) process.exit(1);
    interrupted = true;
    say("  … stopping");
    stages.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  try {
    if (!Object.hasOwn(starts, command))
      throw new UsageError(`${command} is none of ${Object.keys(starts).join(", ")}.`);
    // Where Next's bundles read a variable, a flag must have reached it.
    Object.assign(process.env, flagsOf(args));
    const env = parseEnv(process.env);
    // The key was just looked up in the table.
    await starts[command as keyof typeof starts]({ env, stages, log: createLog({ level: env.ORRERY_LOG }) }, say);
  } catch (error) {
    if (error instanceof StoppedEarly) return;
    await stages.stop().catch(() => undefined);
    fail(error);
  }
}

/** A mistake that the user can mend is one sentence; anything else is ours, and told with where it came from. */
function fail(error: unknown): never {
  process.stderr.write(`  ✗ ${error instanceof UsageError ? error.message : describe(error)}\n`);
  process.exit(1);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function say(line: string) {
  process.stdout.write(`${line}\n`);
}
