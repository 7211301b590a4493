import { createStages, StoppedEarly } from "@/server/boot/stages";
import { flagsOf, optionLines, parseEnv, UsageError } from "@/server/env";
import { KubernetesError } from "@/server/kubernetes/errors";
import { createLog } from "@/server/observability/log";

// Loaded when asked for: a mistake in the options is told at once, and a worker has no use for the pages.
const starts = {
  all: async () => (await import("@/server/boot/start-all")).startAll,
  web: async () => (await import("@/server/boot/start-web")).startWeb,
  worker: async () => (await import("@/server/boot/start-worker")).startWorker,
  sandbox: async () => (await import("@/server/boot/start-sandbox")).startSandbox,
};

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
  const giveUp = (error: unknown) => {
    if (interrupted) return;
    interrupted = true;
    void stages.stop().then(
      () => fail(error),
      () => fail(error),
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
    const start = await starts[command as keyof typeof starts]();
    await start({ env, stages, log: createLog({ level: env.ORRERY_LOG }), giveUp }, say);
  } catch (error) {
    if (error instanceof StoppedEarly) return;
    await stages.stop().catch(() => undefined);
    fail(error);
  }
}

/** A mistake that the user can mend is one sentence; anything else is ours, and told with where it came from. */
function fail(error: unknown): never {
  process.stderr.write(`  ✗ ${describe(error)}\n`);
  process.exit(1);
}

function describe(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  if (error instanceof KubernetesError) {
    const said = error.message.replace(/\.$/, "");
    return `The cluster refused what the start needs: ${said}; check that it answers, and that this user has the rights of deploy/rbac.yaml.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function say(line: string) {
  process.stdout.write(`${line}\n`);
}
