import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKubectl, eventually, kubectlMinor, withoutKubectl } from "@/server/sandbox/contract/kubectl";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";

let sandbox: Sandbox;
let folder: string;
const { run: kubectl, follow } = createKubectl(() => ({
  ...process.env,
  KUBECONFIG: sandbox.kubeconfigPath ?? "",
  HOME: folder,
}));

const IMAGE = "--image=localhost/busybox:1";
/** Before, it sends a kind that servers have since forgotten. */
const SINCE = 23;
const why = withoutKubectl || (kubectlMinor < SINCE ? ` (skipped: kubectl is older than 1.${SINCE})` : "");

const target = `apiVersion: v1
kind: Pod
metadata: {name: target}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - {name: main, image: "localhost/busybox:1", command: [sh, -c, sleep 100000]}
`;

type Looked = { name: string; ready: boolean; state: { terminated?: { exitCode: number; reason: string } } };

describe.skipIf(why !== "")(`kubectl debug${why}`, () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "orrery-kubectl-"));
    sandbox = await createSandbox({ dataDir: join(folder, "data") });
    writeFileSync(join(folder, "target.yaml"), target);
    await kubectl("apply", "-f", join(folder, "target.yaml"));
    await kubectl("wait", "pod/target", "--for=condition=Ready", "--timeout=60s");
  });

  afterAll(async () => {
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("a container that looks into a pod runs once, and the pod goes on", async () => {
    await kubectl("debug", "target", IMAGE, "-c", "look", "--target=main", "--", "sh", "-c", "echo seen; exit 4");
    expect(await ended("look")).toMatchObject({
      ready: false,
      state: { terminated: { exitCode: 4, reason: "Error" } },
    });
    expect(await kubectl("logs", "target", "-c", "look")).toBe("seen");
    expect(await kubectl("get", "pod", "target")).toMatch(/target\s+1\/1\s+Running\s+0/);
    expect(await kubectl("describe", "pod", "target")).toMatch(/Ephemeral Containers:\n\s+look:/);
    expect(await kubectl("get", "events", "-o", "jsonpath={.items[*].involvedObject.fieldPath}")).toContain(
      "spec.ephemeralContainers{look}",
    );
  });

  test("what is typed goes to its shell, and what that says comes back", async () => {
    const talk = follow("debug", "-i", "target", IMAGE, "-c", "talk", "--", "sh");
    talk.tell("echo heard by $(hostname)\n");
    await eventually("an answer", () => talk.said().includes("heard by target"), talk.said);
    expect(await kubectl("exec", "target", "-c", "talk", "--", "echo", "beside")).toBe("beside");
    talk.tell("exit 3\n");
    expect(await ended("talk")).toMatchObject({ state: { terminated: { exitCode: 3 } } });
    await talk.stop();
  });

  test("a copy to look into has one container more", async () => {
    await kubectl("debug", "target", IMAGE, "--copy-to=copy", "-c", "extra", "--", "sleep", "1000");
    await kubectl("wait", "pod/copy", "--for=condition=Ready", "--timeout=60s");
    expect(await kubectl("get", "pod", "copy", "-o", "jsonpath={.spec.containers[*].name}")).toBe("main extra");
  });
});

async function ended(name: string): Promise<Looked | undefined> {
  let found: Looked | undefined;
  await eventually(`the end of ${name}`, async () => {
    const text = await kubectl("get", "pod", "target", "-o", "jsonpath={.status.ephemeralContainerStatuses}");
    const statuses = text === "" ? [] : (JSON.parse(text) as Looked[]); // What the pod's status holds.
    found = statuses.find((status) => status.name === name);
    return found?.state.terminated !== undefined;
  });
  return found;
}
