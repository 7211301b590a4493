import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createVirtualClock, systemClock } from "@/server/kubernetes/clock";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { callProcess } from "@/server/reconcile/live-world";
import { type World } from "@/server/reconcile/world";
import { checkDrain, type ScrapeMode } from "./drain-check";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function listening(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has an address with a port; Node types it for pipes as well.
  return (server.address() as AddressInfo).port;
}

const idle = "firebolt_running_queries 0\nfirebolt_suspended_queries 0\n";
const pod = (name: string, phase = "Running", podIP = name): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", labels: { "firebolt.io/generation": "3" } },
  status: { phase, podIP },
});

/** Pods behind real sockets: each address leads to a port of this machine. */
function worldOf(ports: Record<string, number>, clock = systemClock) {
  const asked: string[] = [];
  const unused = () => Promise.reject(new Error("not asked for"));
  const answer = (name: string, timeoutMs: number) =>
    callProcess(clock, { method: "GET", url: `http://127.0.0.1:${ports[name] ?? 1}/metrics`, timeoutMs });
  const world: World = {
    now: 0,
    get: unused,
    list: unused,
    live: {
      get: unused,
      list: unused,
      fetch: (url, { timeoutMs }) => {
        asked.push(url);
        return answer(new URL(url).hostname, timeoutMs);
      },
      proxy: ({ name }, port, path, { timeoutMs }) => {
        asked.push(`proxy ${name}:${port}${path}`);
        return answer(name, timeoutMs);
      },
      lastLine: unused,
    },
  };
  return { world, asked };
}

describe("the gauges of the old pods", () => {
  test.each<[ScrapeMode, string]>([
    ["PodIP", "http://old-0:9090/metrics"],
    ["ApiserverProxy", "proxy old-0:9090/metrics"],
  ])("are asked for by %s", async (mode, address) => {
    const port = await listening((_, response) => response.end(idle));
    const { world, asked } = worldOf({ "old-0": port });
    expect(await checkDrain(world, [pod("old-0")], mode)).toMatchObject({ drained: true, failures: [] });
    expect(asked).toEqual([address]);
  });

  test("of every running pod count, and of no other", async () => {
    const port = await listening((_, response) => response.end(idle.replace("running_queries 0", "running_queries 2")));
    const quiet = await listening((_, response) => response.end(idle));
    const { world, asked } = worldOf({ "old-0": quiet, "old-1": port });
    const pods = [pod("old-0"), pod("old-1"), pod("old-2", "Pending"), pod("old-3", "Succeeded")];
    expect(await checkDrain(world, pods, "PodIP")).toMatchObject({ drained: false, failures: [] });
    expect(asked).toHaveLength(2);
  });

  test("of no pod at all mean that nothing is left to wait for", async () => {
    expect(await checkDrain(worldOf({}).world, [pod("old-0", "Pending")], "PodIP")).toMatchObject({ drained: true });
  });

  test("behind a redirect are not followed: where it leads is never asked", async () => {
    let led = 0;
    const other = await listening((_, response) => {
      led += 1;
      response.end(idle);
    });
    const port = await listening((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${other}/metrics` }).end(),
    );
    const { drained, failures } = await checkDrain(worldOf({ "old-0": port }).world, [pod("old-0")], "PodIP");
    expect({ drained, failures, led }).toEqual({
      drained: false,
      failures: ["drain probe failed on pod old-0 (gen 3): /metrics answered 302"],
      led: 0,
    });
  });

  test("of a pod that never answers are given up in time, and it counts as busy", async () => {
    const clock = createVirtualClock({ startMs: 0 });
    let arrived: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => void (arrived = resolve));
    const port = await listening(() => arrived());
    const check = checkDrain(worldOf({ "old-0": port }, clock).world, [pod("old-0")], "PodIP");
    await waiting;
    await clock.advance(3_000);
    expect(await check).toMatchObject({ drained: false, failures: [expect.stringContaining("old-0")] });
  });

  test("of a pod without an address cannot be asked for", async () => {
    const { failures } = await checkDrain(worldOf({}).world, [pod("old-0", "Running", "")], "PodIP");
    expect(failures).toEqual(["drain probe failed on pod old-0 (gen 3): it has no address"]);
  });
});
