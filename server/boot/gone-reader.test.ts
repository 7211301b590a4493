import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startOrrery, type OrreryProcess } from "@/server/testing/orrery-process";
import { until } from "@/server/testing/until";

const folder = mkdtempSync(join(tmpdir(), "orrery-reader-"));
let started: OrreryProcess | null = null;
afterAll(() => {
  started?.child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

test("whoever reads the output may go: the program runs on, and does not log that it cannot log", async () => {
  const exceptions = join(folder, "exceptions");
  started = startOrrery("sandbox", ["--data", folder], {
    env: { EXCEPTIONS_FILE: exceptions },
    node: ["--import", "./server/boot/fixtures/count-exceptions.ts"],
  });
  // Before its first word, so that every one of them fails.
  started.child.stdout?.destroy();
  started.child.stderr?.destroy();
  const kubeconfig = join(folder, "sandbox", "kubeconfig");
  await until("it serves", () => existsSync(kubeconfig) && answers(serverOf(kubeconfig)));
  started.child.kill("SIGTERM");
  expect(await started.ended()).toEqual({ code: 0, signal: null });
  expect(readFileSync(exceptions, "utf8")).toBe("0");
});

function serverOf(kubeconfig: string): string {
  const { clusters } = JSON.parse(readFileSync(kubeconfig, "utf8")) as { clusters: { cluster: { server: string } }[] };
  return clusters[0]?.cluster.server.replace("https:", "http:") ?? "";
}

async function answers(server: string): Promise<boolean> {
  return fetch(`${server}/version`).then(
    (answer) => answer.status > 0,
    () => false,
  );
}
