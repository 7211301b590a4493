import { expect, test } from "vitest";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { createFileSystem } from "@/server/sandbox/kubelet/file-system";
import { commandNamed } from "@/server/sandbox/programs/commands";
import { noInput } from "@/server/sandbox/programs/pipe";
import { startProcess } from "@/server/sandbox/programs/process";
import { engineContainer } from "./engine-pod";

/** The first thing that an engine's container says, started as its pod template says. */
function firstWords(env: Record<string, string>): Promise<Record<string, unknown>> {
  const argv = [engineContainer.command, engineContainer.args].flat().map(String);
  const clock = createVirtualClock();
  const program = commandNamed(argv[0] ?? "");
  if (!program) throw new Error(`there is no ${argv[0] ?? "command"}`);
  return new Promise((resolve, reject) => {
    const process = startProcess(program, {
      argv,
      env,
      directory: "/",
      files: createFileSystem(() => clock.now()),
      clock,
      address: "127.0.0.1",
      hostname: env.HOSTNAME ?? "",
      ports: [],
      stdin: noInput,
      stdout: (line) => {
        resolve(JSON.parse(line.toString()) as Record<string, unknown>);
        process.signal("SIGKILL");
      },
      stderr: (line) => reject(new Error(line.toString())),
      bind: async () => () => undefined,
    });
  });
}

test.each([
  ["by its label", "2", "analytics-g0-2", 2],
  ["by the end of its name, before Kubernetes 1.28, where it has no such label", "", "analytics-g10-12", 12],
])("an engine's program is told the number of its pod %s", async (_, index, hostname, node) => {
  expect(await firstWords({ POD_INDEX: index, HOSTNAME: hostname })).toMatchObject({ message: "engine started", node });
});
