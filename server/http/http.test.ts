import fc from "fast-check";
import { callTRPCProcedure, TRPCError } from "@trpc/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDoor, refuseOpenDoor } from "@/server/identity/door";
import { createEngine, createNamespace, createReadyInstance, settleEngine } from "@/server/resources/fixtures/firebolt";
import { grant, person } from "@/server/resources/fixtures/roles";
import { admin, type Stage } from "@/server/resources/fixtures/stage";
import { refusalIn } from "@/server/trpc/init";
import { appRouter, createCaller } from "@/server/trpc/root";
import { analytics as ref, createShop, fieldNames, leaksIn, SECRET, site } from "./fixtures/shop";
import { handlePlain } from "./plain-handler";
import { procedures } from "./procedures";
import { handleSession } from "./session-handler";
import { handleTrpc } from "./trpc-handler";

let stage: Stage;

beforeAll(async () => {
  stage = await createShop();
  await createNamespace(stage, "bank");
  await createReadyInstance(stage, "bank");
  await createEngine(stage, { namespace: "bank", name: "ledger" });
  await settleEngine(stage, ref);
  await settleEngine(stage, { namespace: "bank", name: "ledger" });
  await stage.projection.settled();
});
afterAll(() => stage.stop());

function ask(path: string, init: RequestInit = {}): Request {
  return new Request(`${site}${path}`, init);
}
const bearer = () => ({ authorization: `Bearer ${stage.sandbox.adminToken}` });
const pageUrl = `/api/v1/fleet.page?input=${encodeURIComponent("{}")}`;

describe("identity", () => {
  test("nobody gets nothing, a token gets in, a wrong one does not", async () => {
    const statuses = await Promise.all(
      [{}, bearer(), { authorization: "Bearer wrong" }].map(
        async (headers) => (await handlePlain(stage.services, ask(pageUrl, { headers }))).status,
      ),
    );
    expect(statuses).toEqual([401, 200, 401]);
    expect((await handleTrpc(stage.services, ask("/api/trpc/whoami"))).status).toBe(401);
  });

  test("a stream for nobody that we know is answered 401 and not opened, over either way", async () => {
    const input = encodeURIComponent(JSON.stringify({ ids: [] }));
    const streams = [...procedures.values()].filter(({ type }) => type === "subscription").map(({ path }) => path);
    expect(streams).toEqual(["fleet.changes", "resource.watch"]);
    const strangers: Record<string, string>[] = [
      {},
      { authorization: "Bearer dead" },
      { cookie: "orrery_session=dead" },
    ];
    for (const path of streams)
      for (const headers of strangers) {
        const accept = { ...headers, accept: "text/event-stream" };
        const answers = [
          await handleTrpc(stage.services, ask(`/api/trpc/${path}?input=${input}`, { headers: accept })),
          await handlePlain(stage.services, ask(`/api/v1/${path}?input=${input}`, { headers: accept })),
        ];
        for (const answer of answers) {
          expect([answer.status, answer.headers.get("content-type")]).toEqual([401, "application/json"]);
          expect(await answer.json()).toMatchObject({ refusal: { code: "unauthenticated" } });
        }
      }
  });

  test("a session is a cookie that no script can read, and a forged one is worth nothing", async () => {
    const body = JSON.stringify({ token: stage.sandbox.adminToken });
    const signedIn = await handleSession(stage.services, ask("/api/session", { method: "POST", body }));
    const cookie = signedIn.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/HttpOnly; SameSite=Lax/);
    expect(cookie).not.toContain(stage.sandbox.adminToken);
    const value = cookie.split(";")[0] ?? "";
    expect((await handleTrpc(stage.services, ask("/api/trpc/whoami", { headers: { cookie: value } }))).status).toBe(
      200,
    );
    const forged = `${value.slice(0, -4)}AAAA`;
    expect((await handleTrpc(stage.services, ask("/api/trpc/whoami", { headers: { cookie: forged } }))).status).toBe(
      401,
    );
    const refused = await handleSession(
      stage.services,
      ask("/api/session", { method: "POST", body: '{"token":"wrong"}' }),
    );
    expect(refused.status).toBe(401);
    // A page of another site that uses the browser's cookie.
    const evil = {
      method: "POST",
      body: "{}",
      headers: { cookie: value, origin: "https://evil.example", "content-type": "application/json" },
    };
    expect((await handleTrpc(stage.services, ask("/api/trpc/resource.command", evil))).status).toBe(403);
    const crossSite = { method: "POST", body: "{}", headers: { cookie: value, "sec-fetch-site": "cross-site" } };
    expect((await handlePlain(stage.services, ask("/api/v1/resource.command", crossSite))).status).toBe(403);
  });

  test("without sign-in only this machine is let in, by its own name", async () => {
    expect(() => refuseOpenDoor("none", "0.0.0.0")).toThrow("loopback");
    for (const host of ["127.0.0.1", "localhost", "::1"]) expect(() => refuseOpenDoor("none", host)).not.toThrow();
    expect(() => refuseOpenDoor("token", "0.0.0.0")).not.toThrow();
    const { client, clock } = stage;
    const door = createDoor({ client, clock, mode: "none", secret: "x".repeat(32), publicUrl: null });
    const services = { ...stage.services, door };
    expect((await handlePlain(services, ask(pageUrl, { headers: { host: "localhost:3000" } }))).status).toBe(200);
    expect((await handlePlain(services, ask(pageUrl, { headers: { host: "rebound.example" } }))).status).toBe(403);
  });

  test("more than a person's share of requests is refused as such", async () => {
    const { client, clock } = stage;
    const door = createDoor({ client, clock, mode: "none", secret: "x".repeat(32), publicUrl: null });
    const services = { ...stage.services, door };
    const statuses = new Set<number>();
    for (let at = 0; at < 450; at++)
      statuses.add((await handlePlain(services, ask("/api/v1/whoami", { headers: { host: "localhost" } }))).status);
    expect([...statuses].sort()).toEqual([200, 429]);
  });
});

describe("plain HTTP", () => {
  test("a request that is too large, no JSON, or for nothing is told so, with headers that keep others out", async () => {
    const headers = bearer();
    const large = await handlePlain(
      stage.services,
      ask("/api/v1/fleet.page", { method: "POST", headers, body: "x".repeat(600_000) }),
    );
    const broken = await handlePlain(stage.services, ask("/api/v1/fleet.page", { method: "POST", headers, body: "{" }));
    const nothing = await handlePlain(stage.services, ask("/api/v1/fleet.burn", { headers }));
    const unsafe = await handlePlain(stage.services, ask("/api/v1/resource.command", { headers }));
    expect([large.status, broken.status, nothing.status, unsafe.status]).toEqual([413, 400, 404, 400]);
    expect(large.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(await broken.json()).toMatchObject({ refusal: { code: "invalid" } });
  });

  test("a stream is server-sent events with ids", async () => {
    const input = encodeURIComponent(JSON.stringify({ ...ref, lastEventId: "0" }));
    const response = await handlePlain(
      stage.services,
      ask(`/api/v1/resource.watch?input=${input}`, { headers: bearer() }),
    );
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value)).toMatch(
      /^id: \d+\ndata: \{"row":\{"id":"firebolt.engine\/shop\/analytics"/,
    );
    await reader?.cancel();
  });
});

test("a person sees and may do what the cluster's own rules say, and no more", async () => {
  const olga = person("olga");
  await grant(stage, olga, ["get", "list", "stop"], "shop");
  const caller = stage.as(olga);
  const page = await caller.fleet.page({});
  expect(page.rows.map(({ id }) => id)).toEqual(["firebolt.engine/shop/analytics"]);
  expect(page.counts.total).toBe(1);
  const ledger = { kind: "firebolt.engine", namespace: "bank", name: "ledger" };
  await expect(caller.resource.get(ledger)).rejects.toMatchObject({ code: "FORBIDDEN" });
  for (const read of ["explain", "history", "events", "objects", "yaml"] as const)
    await expect(caller.resource[read](ledger)).rejects.toMatchObject({ code: "FORBIDDEN" });
  const { commands } = await caller.resource.get(ref);
  expect(commands.filter(({ allowed }) => allowed).map(({ command }) => command)).toEqual(["stop"]);
  expect(commands.find(({ command }) => command === "scale")?.refusal).toMatchObject({
    code: "permission",
    sentence: expect.stringContaining("`scale` on fireboltengines.compute.firebolt.io") as string,
  });
  // She may not list pods, so she is not shown any; she is told that there are some.
  const { tree, hidden } = await caller.resource.objects(ref);
  expect([tree, hidden.length > 0]).toEqual([[], true]);
  expect((await caller.machines.list()).find(({ kind }) => kind === "firebolt.engine")?.total).toBe(1);
});

test("secrets are in no preview of what would be written", async () => {
  const at = { namespace: "shop", name: "fresh" };
  const env = [{ name: "CATALOGUE_PASSWORD", value: SECRET }];
  await createEngine(stage, at, { template: { spec: { containers: [{ name: "engine", env }] } } });
  await stage.passOver("firebolt.engine", at);
  const preview = await stage.as().resource.preview({ kind: "firebolt.engine", ...at, command: "observed" });
  const set = preview.writes.find(({ object }) => object?.kind === "StatefulSet");
  expect(JSON.stringify(set?.detail)).toContain("CATALOGUE_PASSWORD");
  expect(JSON.stringify(preview)).not.toContain(SECRET);
});

test("secrets are in no YAML", async () => {
  const { yaml, redacted } = await stage.as().resource.yaml(ref);
  expect(yaml).toContain("CATALOGUE_PASSWORD");
  expect(yaml).not.toContain(SECRET);
  expect(redacted).toBeGreaterThan(0);
});

const FUZZED = 20_000;

test(`${FUZZED} inputs that nobody meant get a typed refusal, never a fault, never a secret`, async () => {
  const [taking, others] = [true, false].map((takes) =>
    [...procedures.values()].filter(({ input }) => (input !== null) === takes).map(({ path }) => path),
  ) as [string[], string[]];
  // Those that take nothing answer whatever they are given, so most inputs go where they are read.
  const anyPath = fc.oneof(
    { weight: 49, arbitrary: fc.constantFrom(...taking) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
  const word = fc.constantFrom(
    "firebolt.engine",
    "shop",
    "analytics",
    "stop",
    "observed",
    "",
    "../..",
    "a'; DROP TABLE",
    "\u0000",
    "phase=x",
    "%",
    "x".repeat(500),
    "__proto__",
    "constructor",
  );
  const leaf = fc.oneof(word, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.string());
  const field = fc.constantFrom(...fieldNames);
  const near = fc.record({
    ...Object.fromEntries(["kind", "namespace", "name"].map((key) => [key, fc.constant(ref[key as keyof typeof ref])])),
    command: word,
    idempotencyKey: fc.string({ minLength: 8, maxLength: 20 }),
    cursor: fc.option(fc.string(), { nil: undefined }),
    args: fc.dictionary(field, leaf, { maxKeys: 2 }),
    states: fc.array(word, { minLength: 1, maxLength: 2 }),
    timeoutMs: fc.constant(0),
  });
  const input = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.dictionary(
        field,
        fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(field, leaf, { maxKeys: 3 })),
        { maxKeys: 6 },
      ),
    },
    { weight: 6, arbitrary: leaf },
    { weight: 1, arbitrary: near },
  );
  const samples = fc.sample(fc.tuple(anyPath, input), { numRuns: FUZZED, seed: 11 });
  const codes = new Map<string, number>();
  for (const [path, raw] of samples) {
    const { type } = procedures.get(path) ?? { type: "query" as const };
    const aborted = new AbortController();
    let told: unknown;
    try {
      const call = callTRPCProcedure({
        router: appRouter,
        path,
        type,
        ctx: { services: stage.services, identity: admin, onFault: stage.services.onFault },
        getRawInput: async () => raw,
        signal: aborted.signal,
        batchIndex: 0,
      });
      if (path === "resource.wait") aborted.abort();
      told = await call;
      if (type === "subscription") aborted.abort();
      codes.set("answered", (codes.get("answered") ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof TRPCError)) throw error;
      if (error.code === "INTERNAL_SERVER_ERROR") throw new Error(`${path} ${JSON.stringify(raw)}`, { cause: error });
      told = refusalIn(error);
      codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
    }
    const leaks = leaksIn(JSON.stringify([told]));
    if (leaks.length > 0) throw new Error(`${path} ${JSON.stringify(raw)} is told ${leaks.join(" and ")}`);
  }
  expect(stage.faults).toEqual([]);
  expect(codes.get("answered")).toBeGreaterThan(200);
  expect(codes.get("BAD_REQUEST")).toBeGreaterThan(5_000);
}, 900_000);

test("an unforeseen fault is told without its words", async () => {
  const broken = {
    ...stage.services,
    database: { ...stage.database, query: () => Promise.reject(new Error(`password ${SECRET}`)) },
  };
  const error = await createCaller({ services: broken, identity: admin })
    .whoami()
    .catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(TRPCError);
  expect(JSON.stringify(refusalIn(error as TRPCError))).not.toContain(SECRET);
  const response = await handlePlain(
    { ...broken, onFault: () => undefined },
    ask("/api/v1/whoami", { headers: bearer() }),
  );
  expect([response.status, (await response.text()).includes(SECRET)]).toEqual([500, false]);
});
