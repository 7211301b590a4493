import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { at, make, running, type Scene, seen } from "@/server/sandbox/contract/scene";
import { openTarget, type Target } from "@/server/sandbox/contract/target";
import { runRemotely } from "@/server/sandbox/contract/remote-command";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";

type Pod = { metadata: { uid: string }; status: { phase: string; containerStatuses?: { ready: boolean }[] } };

let dataDir: string;
const open: (() => Promise<void>)[] = [];

beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), "orrery-sandbox-")), "data");
});

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  rmSync(join(dataDir, ".."), { recursive: true, force: true });
});

async function started(options: { reset?: boolean } = {}): Promise<{ sandbox: Sandbox; target: Target }> {
  const sandbox = await createSandbox({ dataDir, ...options });
  const target = await openTarget(sandbox.connection());
  let stopped = false;
  open.push(async () => {
    if (stopped) return;
    stopped = true;
    // Not closed: that would delete what it made.
    await sandbox.stop();
  });
  return { sandbox, target };
}

const stopLast = () => open.at(-1)?.() ?? Promise.resolve();
const isReady = ({ status }: Pod) => status.containerStatuses?.[0]?.ready === true;

test("a restart finds objects, volumes, pods, credentials and the address as they were", async () => {
  const before = await started();
  const scene: Scene = { target: before.target, namespace: await before.target.namespace() };
  await make(scene, {
    kind: "PersistentVolumeClaim",
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
  });
  const spec = running("sleep 100000", { volumeMounts: [{ name: "data", mountPath: "/data" }] });
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  await make(scene, { kind: "Pod", metadata: { name: "keeper" }, spec: { ...spec, volumes } });
  const pod = await seen<Pod>(scene, "Pod", "keeper", isReady);
  await runRemotely(before.target, at(scene, "Pod", "keeper"), ["sh", "-c", "echo kept > /data/note"]);
  await stopLast();

  const { sandbox, target } = await started();
  expect([sandbox.url, sandbox.adminToken, sandbox.kubeconfig()]).toEqual([
    before.sandbox.url,
    before.sandbox.adminToken,
    before.sandbox.kubeconfig(),
  ]);
  const again: Scene = { target, namespace: scene.namespace };
  const same = await seen<Pod>(again, "Pod", "keeper", isReady);
  expect(same.metadata.uid).toBe(pod.metadata.uid);
  const { stdout } = await runRemotely(target, at(again, "Pod", "keeper"), ["cat", "/data/note"]);
  expect(stdout.toString()).toBe("kept\n");
});

test("a reset leaves nothing of what was there", async () => {
  const { target, sandbox } = await started();
  await make({ target, namespace: "default" }, { kind: "ConfigMap", metadata: { name: "old" } });
  await stopLast();
  mkdirSync(join(dataDir, "volumes"), { recursive: true });
  const fresh = await started({ reset: true });
  const { status } = await fresh.target.send("GET", at({ namespace: "default" }, "ConfigMap", "old"));
  expect(status).toBe(404);
  expect(fresh.sandbox.adminToken).not.toBe(sandbox.adminToken);
  expect(existsSync(join(dataDir, "volumes"))).toBe(false);
});

test("an address that somebody else took meanwhile is given up", async () => {
  const { sandbox } = await started();
  const { port } = new URL(sandbox.url);
  await stopLast();
  const thief = createServer();
  await new Promise<void>((resolve) => thief.listen(Number(port), "127.0.0.1", resolve));
  open.unshift(() => new Promise((resolve) => thief.close(() => resolve())));
  expect((await started()).sandbox.url).not.toBe(sandbox.url);
});

test("what it keeps is for its owner's eyes only", async () => {
  await started();
  for (const name of [".", "admin-token", "cluster.log", "kubeconfig", "tls.key"])
    expect(statSync(join(dataDir, name)).mode & 0o077, name).toBe(0);
});
