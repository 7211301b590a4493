import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { handleRest } from "@/server/feldera/rest/handle-rest";
import { createPipeline } from "@/server/resources/fixtures/feldera";
import type { Stage } from "@/server/resources/fixtures/stage";
import { analytics, createShop, fieldNames, leaksIn, site } from "./fixtures/shop";
import { handlePlain } from "./plain-handler";
import { procedures } from "./procedures";
import { handleSession } from "./session-handler";
import { handleTrpc } from "./trpc-handler";

/** Only ends what hangs. */
const LIMIT_MS = 300_000;
let stage: Stage;
beforeAll(async () => {
  stage = await createShop();
  await createPipeline(stage, { namespace: "shop", name: "orders" });
  await stage.passOver("firebolt.engine", analytics);
  await stage.projection.settled();
});
afterAll(() => stage.stop());

const word = fc.constantFrom(
  "shop",
  "orders",
  "analytics",
  "pipelines",
  "start",
  "stop",
  "clear",
  "",
  "..",
  "%00",
  "%zz",
  "a'; DROP TABLE",
  "x".repeat(300),
  "__proto__",
  "constructor",
  "Ω",
);
const leaf = fc.oneof(word, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.string());
const key = fc.constantFrom(
  ...fieldNames,
  ...["program_code", "runtime_config", "description", "token", "udf_rust", "program_config"],
);
const json = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.dictionary(
      key,
      fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(key, leaf, { maxKeys: 3 })),
      { maxKeys: 5 },
    ),
  },
  { weight: 1, arbitrary: leaf },
);
const body = fc.oneof(
  { weight: 6, arbitrary: json.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.constant("{") },
);
const method = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD");
const caller = fc.constantFrom("admin", "admin", "admin", "admin", "nobody", "wrong", "odd");
const query = fc.dictionary(
  fc.constantFrom(
    "input",
    "namespace",
    "selector",
    "initial",
    "force",
    "dismiss_error",
    "code",
    "state",
    "returnTo",
    "error",
  ),
  fc.oneof(word, body),
  { maxKeys: 3 },
);

type Sample = {
  method: string;
  path: string;
  query: Record<string, string>;
  body: string;
  caller: string;
  odd: string;
};

function requestOf({ method, path, query, body, caller, odd }: Sample): Request {
  const credentials: Record<string, string> = {
    admin: `Bearer ${stage.sandbox.adminToken}`,
    wrong: `Bearer ${odd.replace(/[^\x21-\x7e]/g, "x")}`,
    odd: odd.replace(/[^\x20-\x7e]/g, "x").trim(),
  };
  const authorization = credentials[caller];
  const cookie = `orrery_session=${encodeURIComponent(odd)}; orrery_sign_in=${encodeURIComponent(odd)}`;
  const search = new URLSearchParams(query).toString();
  return new Request(`${site}${path}?${search}`, {
    method,
    headers: { ...(authorization ? { authorization } : caller === "odd" ? {} : { cookie }), "last-event-id": "x" },
    ...(method === "GET" || method === "HEAD" ? {} : { body }),
    signal: AbortSignal.abort(),
  });
}

const sampled = (path: fc.Arbitrary<string>) => fc.record({ method, path, query, body, caller, odd: fc.string() });

/** Wide of any share, so that what is asked is answered and not just counted. */
function unlimited() {
  const { services } = stage;
  return { ...services, door: { ...services.door, spend: () => undefined, spendAttempt: () => undefined } };
}

const typed = { refusal: { code: expect.any(String) as string, sentence: expect.any(String) as string } };
type TrpcRefusal = { error?: { data: object }; refusal?: object };

const surfaces = [
  {
    title: "plain HTTP",
    runs: 5_000,
    seed: 21,
    path: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...procedures.keys()).map((path) => `/api/v1/${path}`) },
      { weight: 1, arbitrary: word.map((path) => `/api/v1/${path}`) },
    ),
    answer: (request: Request) => handlePlain(unlimited(), request),
    refusal: typed,
  },
  {
    title: "tRPC",
    runs: 5_000,
    seed: 24,
    path: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...procedures.keys()).map((path) => `/api/trpc/${path}`) },
      { weight: 1, arbitrary: word.map((path) => `/api/trpc/${path}`) },
    ),
    answer: (request: Request) => handleTrpc(unlimited(), request),
    refusal: typed,
    // Refused by the procedure, or before there was one.
    told: (answer: TrpcRefusal) => answer.error?.data ?? answer,
  },
  {
    title: "Feldera's REST API",
    runs: 4_000,
    seed: 22,
    path: fc.oneof(
      fc.constant("/v0/pipelines"),
      fc
        .constantFrom("orders", "orders", "nobody", "new", "%E0%A4%A", "x".repeat(200))
        .map((name) => `/v0/pipelines/${name}`),
      fc
        .tuple(
          fc.constantFrom("orders", "nobody", "__proto__"),
          fc.oneof(word, fc.constantFrom("pause", "resume", "activate", "dismiss_error")),
        )
        .map(([name, action]) => `/v0/pipelines/${name}/${action}`),
      word.map((path) => `/v0/${path}`),
    ),
    answer: (request: Request) => handleRest(unlimited(), request, { namespace: "shop" }),
    refusal: { message: expect.any(String) as string, error_code: expect.any(String) as string },
  },
  {
    title: "the session routes",
    runs: 2_000,
    seed: 23,
    path: fc.oneof(
      fc.constantFrom("/api/session", "/api/session/oidc", "/api/session/oidc/callback"),
      word.map((path) => `/api/session/${path}`),
    ),
    answer: (request: Request) => handleSession(unlimited(), request),
    refusal: typed,
  },
];

/** What no answer may be or hold. */
function faultsIn(status: number, text: string): string[] {
  const found = {
    "a fault of our own": status >= 500 && status !== 503,
    "a token": text.includes(stage.sandbox.adminToken),
  };
  return [...leaksIn(text), ...Object.entries(found).flatMap(([fault, is]) => (is ? [fault] : []))];
}

test.each(surfaces)(
  "$runs requests that nobody meant to $title get a typed refusal, never a fault, a secret or a stack",
  async ({ runs, seed, path, answer, refusal, told = (all: object) => all }) => {
    const statuses = new Map<number, number>();
    for (const sample of fc.sample(sampled(path), { numRuns: runs, seed })) {
      const response = await answer(requestOf(sample));
      const text = response.headers.get("content-type") === "text/event-stream" ? "" : await response.text();
      if (faultsIn(response.status, text).length > 0 || response.status >= 400) {
        const about = `${sample.method} ${sample.path} ${JSON.stringify(sample.query)} ${sample.body}: ${text.slice(0, 300)}`;
        expect(faultsIn(response.status, text), about).toEqual([]);
        expect(told(JSON.parse(text) as object), about).toMatchObject(refusal);
      }
      await response.body?.cancel().catch(() => undefined);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
    expect(stage.faults).toEqual([]);
    // It is no test of one lucky refusal.
    expect(statuses.size).toBeGreaterThanOrEqual(3);
  },
  LIMIT_MS,
);
