import { request } from "node:http";
import { type AddressInfo, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { createFileSystem } from "@/server/sandbox/kubelet/file-system";
import { nodePrograms, programText } from "./node-programs";
import { noInput } from "./pipe";
import { type Process, startProcess } from "./process";

const QUERY = 3473;
const HEALTH = 8122;
const METRICS = 9090;
let engine: Process | null = null;

afterEach(() => engine?.signal("SIGKILL"));

/** The engine with its ports somewhere on loopback. */
async function startEngine(env: Record<string, string> = {}, argv: readonly string[] = []) {
  const clock = createVirtualClock();
  const places = new Map<number, number>();
  let listening: () => void = () => undefined;
  const up = new Promise<void>((resolve) => (listening = resolve));
  const bind = async (server: Server, port: number) => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    places.set(port, (server.address() as AddressInfo).port); // a server that listens on TCP has one
    if (places.size === 3) listening();
    return () => void server.close();
  };
  const program = nodePrograms["engine"];
  if (!program) throw new Error("there is no engine");
  const files = createFileSystem(() => clock.now());
  const process = startProcess(program, {
    argv,
    env,
    directory: "/",
    files,
    clock,
    address: "127.0.0.1",
    hostname: "engine-0",
    ports: [],
    stdin: noInput,
    stdout: () => undefined,
    stderr: () => undefined,
    bind,
  });
  engine = process;
  await up;
  await clock.settle();
  const call = (port: number, path: string, method = "GET"): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port: places.get(port), path, method, agent: false }, (answer) => {
        let text = "";
        answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
      });
      sent.on("error", reject);
      sent.end();
    });
  const gauges = async () => {
    const { text } = await call(METRICS, "/metrics");
    return ["running", "suspended"].map((kind) =>
      Number(new RegExp(`^firebolt_${kind}_queries ([0-9]+)$`, "m").exec(text)?.[1]),
    );
  };
  const untilGauges = async (running: number, suspended: number) => {
    while ((await gauges()).join() !== [running, suspended].join());
  };
  return { process, clock, call, gauges, untilGauges };
}

test("an engine is alive at once and ready when it says so", async () => {
  const { call, clock } = await startEngine({ ENGINE_READY_AFTER_MS: "5000" });
  expect([(await call(HEALTH, "/health/live")).status, (await call(HEALTH, "/health/ready")).status]).toEqual([
    200, 503,
  ]);
  await clock.advance(5_000);
  expect((await call(HEALTH, "/health/ready")).status).toBe(200);
});

test("a held query is counted until it is released, and its answer comes then", async () => {
  const { call, clock, gauges, untilGauges } = await startEngine();
  await clock.advance(0);
  expect(await gauges()).toEqual([0, 0]);
  const held = call(QUERY, "/?hold=long&query=select%201", "POST");
  await untilGauges(1, 0);
  await call(QUERY, "/suspend?name=long", "POST");
  expect(await gauges()).toEqual([0, 1]);
  await call(QUERY, "/release?name=long", "POST");
  expect((await held).status).toBe(200);
  expect(await gauges()).toEqual([0, 0]);
});

test("a signal lets the queries that run finish, takes no new ones, and ends the engine", async () => {
  const { process, call, clock, untilGauges } = await startEngine();
  await clock.advance(0);
  const held = call(QUERY, "/?hold=last", "POST");
  await untilGauges(1, 0);
  process.signal("SIGTERM");
  expect((await call(QUERY, "/", "POST")).status).toBe(503);
  expect((await call(HEALTH, "/health/ready")).status).toBe(503);
  await call(QUERY, "/release", "POST");
  expect((await held).status).toBe(200);
  expect(await process.exited).toEqual({ code: 0 });
});

test.each([
  ["the one that it is told", ["server", "--node", "12"], 12],
  ["the first when it is told none", [], 0],
])("an engine is, of its nodes, %s", async (_, args, node) => {
  const { call, clock, untilGauges } = await startEngine({}, args);
  await clock.advance(0);
  const held = call(QUERY, "/?hold=one", "POST");
  await untilGauges(1, 0);
  await call(QUERY, "/release", "POST");
  expect(JSON.parse((await held).text)).toMatchObject({ engine: "engine-0", node });
});

test("its text, which real pods run, needs nothing but Node", () => {
  const imports = [...programText("engine").matchAll(/^import .* from "(.*)";$/gm)].map((match) => match[1]);
  expect(imports.every((name) => name?.startsWith("node:"))).toBe(true);
});
