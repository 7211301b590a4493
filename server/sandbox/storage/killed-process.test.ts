import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type OrreryProcess, startOrrery } from "@/server/testing/orrery-process";

let folder: string;
let running: OrreryProcess | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orrery-killed-"));
});

afterEach(async () => {
  running?.child.kill("SIGKILL");
  await running?.ended();
  rmSync(folder, { recursive: true, force: true });
});

const KILLS = 4;
const WRITERS = 8;
/** With objects this large the log is written anew every few dozen writes: some kills come in the middle of that. */
const filler = "x".repeat(300_000);
const LOG_BYTES_MAX = 24 * 1_024 * 1_024;

/** By name: the number of the last write that was answered. */
type Acknowledged = Map<string, number>;

/** Writes come in rounds: it is created, replaced three times, and deleted. */
const ROUND = 5;
const stateAfter = (n: number) => (n % ROUND === 0 ? null : n);

test("a process that is killed in the middle of its writes has lost none that it answered", async () => {
  const acknowledged: Acknowledged = new Map(Array.from({ length: WRITERS }, (_, writer) => [`w-${writer}`, 0]));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const send = await start();
    await compare(send, acknowledged);
    await writeUntilKilled(send, acknowledged, 60 + kill * 7);
  }
  await compare(await start(), acknowledged);
  expect(statSync(join(folder, "sandbox", "cluster.log")).size).toBeLessThan(LOG_BYTES_MAX);
});

type Send = (method: string, name: string, body?: unknown) => Promise<Response>;

async function start(): Promise<Send> {
  running = startOrrery("sandbox", [], { env: { ORRERY_DATA: folder } });
  const [, url = ""] = await running.says(/cluster is at (\S+)/);
  await running.says(/export KUBECONFIG/);
  const token = readFileSync(join(folder, "sandbox", "admin-token"), "utf8").trim();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return (method, name, body) =>
    fetch(`${url}/api/v1/namespaces/default/configmaps/${name}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

/** Each writer sends one write after the other to its own object; the kill finds all of them under way. */
async function writeUntilKilled(send: Send, acknowledged: Acknowledged, answersBeforeKill: number) {
  let answers = 0;
  const write = async (writer: number) => {
    const name = `w-${writer}`;
    for (let n = (acknowledged.get(name) ?? 0) + 1; ; n += 1) {
      const answer = await writeNumber(send, name, n);
      if (!answer.ok) throw new Error(`${name} ${n}: ${answer.status}`);
      acknowledged.set(name, n);
      answers += 1;
      if (answers === answersBeforeKill) running?.child.kill("SIGKILL");
      await answer.arrayBuffer();
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  // The connection ends, as it must; a refusal would be something else.
  for (const end of ends) expect(end.status === "rejected" && end.reason).toBeInstanceOf(TypeError);
  await running?.ended();
}

function writeNumber(send: Send, name: string, n: number): Promise<Response> {
  if (n % ROUND === 0) return send("DELETE", name);
  const object = { metadata: { name }, data: { n: String(n), filler } };
  return n % ROUND === 1 ? send("POST", "", object) : send("PUT", name, object);
}

/** A write that was under way may have come through or not; nothing else may differ. */
async function compare(send: Send, acknowledged: Acknowledged) {
  for (const [name, n] of acknowledged) {
    const answer = await send("GET", name);
    // What the server answers to a GET that it grants.
    const object = answer.ok ? ((await answer.json()) as KubernetesObject & { data: { n: string } }) : null;
    const found = object === null ? null : Number(object.data.n);
    expect([stateAfter(n), stateAfter(n + 1)], name).toContain(found);
    if (found !== stateAfter(n)) acknowledged.set(name, n + 1);
  }
}
