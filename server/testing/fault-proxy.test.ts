import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { createLineSplitter } from "@/server/kubernetes/line-splitter";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";
import { createFaultProxy } from "@/server/testing/fault-proxy";
import { type FaultPlan, watchFaults, type WatchFault, writeFaults, type WriteFault } from "@/server/testing/faults";
import { until } from "@/server/testing/until";

const clock = createVirtualClock();
const path = "/api/v1/namespaces/default/configmaps";
let sandbox: Sandbox;
let proxy: Awaited<ReturnType<typeof createFaultProxy>>;
let hangUp: AbortController;
let crashes = 0;
let serial = 0;

beforeAll(async () => {
  sandbox = await createSandbox({ clock, controllers: false, anonymousAdmin: true });
});
beforeEach(() => {
  crashes = 0;
  hangUp = new AbortController();
});
afterEach(async () => {
  hangUp.abort();
  await proxy.stop();
});
afterAll(() => sandbox.stop());

async function behindProxy(plan: FaultPlan | null) {
  proxy = await createFaultProxy({ upstream: sandbox.connection(), clock, plan, onCrash: () => (crashes += 1) });
}

const isThere = (name: string) =>
  sandbox.cluster.list(apis.configMap, {}).some(({ metadata }) => metadata.name === name);

async function ask(method: string, at: string, body?: unknown): Promise<Response> {
  return fetch(proxy.connection().server + at, {
    method,
    signal: hangUp.signal,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** What the worker gets to see of a create; 0 for no answer. */
async function create(name: string): Promise<{ code: number; retryAfter: string | null }> {
  try {
    const answer = await ask("POST", path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
    await answer.arrayBuffer();
    return { code: answer.status, retryAfter: answer.headers.get("retry-after") };
  } catch {
    return { code: 0, retryAfter: null };
  }
}

describe("a write meets its fault as it is named:", () => {
  type Met = { code: number; done: boolean; crashes: number };
  const met: Record<WriteFault, Met> = {
    crashBeforeSending: { code: 0, done: false, crashes: 1 },
    crashAfterApplied: { code: 0, done: true, crashes: 1 },
    crashBeforeStatus: { code: 201, done: true, crashes: 0 },
    conflict409: { code: 409, done: false, crashes: 0 },
    throttled429: { code: 429, done: false, crashes: 0 },
    internal500: { code: 500, done: false, crashes: 0 },
    unavailable503: { code: 503, done: false, crashes: 0 },
    timeout504AfterApplied: { code: 504, done: true, crashes: 0 },
    noAnswer: { code: 0, done: false, crashes: 0 },
    connectionReset: { code: 0, done: false, crashes: 0 },
  };

  test.each(writeFaults)("%s, and the writes around it meet none", async (fault) => {
    await behindProxy({ at: "write", number: 2, fault });
    const [before, hit, after] = [`c-${++serial}`, `c-${++serial}`, `c-${++serial}`];
    expect((await create(before)).code).toBe(201);
    const told = create(hit);
    if (fault === "noAnswer") {
      await until("it is held", () => proxy.held() === 1);
      hangUp.abort();
      hangUp = new AbortController();
    }
    const { code, retryAfter } = await told;
    expect({ code, done: isThere(hit), crashes }).toEqual(met[fault]);
    expect(retryAfter).toBe(fault === "throttled429" ? "2" : null);
    expect((await create(after)).code).toBe(201);
    expect(proxy.writes.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(proxy.fired()).toBe(fault !== "crashBeforeStatus");
  });

  test("crashBeforeStatus strikes at the status that follows", async () => {
    await behindProxy({ at: "write", number: 1, fault: "crashBeforeStatus" });
    const name = `c-${++serial}`;
    await create(name);
    await expect(ask("PATCH", `${path}/${name}/status`, {})).rejects.toThrow();
    expect([crashes, proxy.fired()]).toEqual([1, true]);
    expect(proxy.writes.at(-1)?.answer).toBeNull();
  });
});

describe("a watch meets its fault as it is named:", () => {
  /** The names of the objects that it was told of, in order; another line by what it is. */
  const met: Record<WatchFault, { told: string[]; ended: boolean; afterwards?: number }> = {
    cut: { told: ["1"], ended: true, afterwards: 200 },
    stall: { told: ["1"], ended: false },
    duplicate: { told: ["1", "2", "2", "3"], ended: false },
    dropUntilReconnect: { told: ["1"], ended: false },
    gone410AsStatus: { told: ["1"], ended: true, afterwards: 410 },
    gone410AsEvent: { told: ["1", "410"], ended: false },
    garbage: { told: ["1", "no JSON", "2", "3"], ended: false },
    hugeLine: { told: ["1", "2 of 1.5 MB", "3"], ended: false },
    oldView: { told: ["1"], ended: true, afterwards: 410 },
  };

  /** Opens a watch from now on, and creates three objects past the proxy. */
  async function watchThree() {
    const { metadata } = (await (await ask("GET", path)).json()) as { metadata: { resourceVersion: string } };
    const watch = `${path}?watch=true&resourceVersion=${metadata.resourceVersion}`;
    const seen = { told: [] as string[], ended: false };
    const answer = await ask("GET", watch);
    void read(answer, seen).catch(() => (seen.ended = true));
    const names = [1, 2, 3].map((number) => `w-${++serial}-${number}`);
    for (const name of names) await direct(name);
    return { seen, watch, version: metadata.resourceVersion };
  }

  const direct = async (name: string) => {
    await fetch(sandbox.connection().server + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }),
    });
  };

  test.each(watchFaults)("%s", async (fault) => {
    await behindProxy({ at: "event", number: 2, fault });
    const { seen, watch, version } = await watchThree();
    const { afterwards, ...expected } = met[fault];
    await until(
      "it has met the fault",
      () => proxy.fired() && seen.told.length === expected.told.length && seen.ended === expected.ended,
    );
    expect(seen).toEqual(expected);
    if (fault === "dropUntilReconnect") {
      await clock.advance(30_000);
      await until("the line is cut", () => seen.ended);
    }
    if (afterwards) {
      const answer = await ask("GET", watch);
      expect(answer.status).toBe(afterwards);
      await answer.body?.cancel();
    }
    if (fault !== "oldView") return;
    const asked = await (await ask("GET", `${path}?resourceVersion=${version}`)).json();
    expect(asked).toMatchObject({ metadata: { resourceVersion: version } });
  });
});

async function read(answer: Response, seen: { told: string[]; ended: boolean }): Promise<void> {
  const split = createLineSplitter((line) => seen.told.push(nameOf(line)));
  const reader = answer.body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) split(Buffer.from(part.value));
  seen.ended = true;
}

function nameOf(line: string): string {
  const found = /"name":"w-\d+-(\d)"/.exec(line)?.[1];
  if (found) return line.length > 1_500_000 ? `${found} of 1.5 MB` : found;
  return line.includes('"code":410') ? "410" : "no JSON";
}
