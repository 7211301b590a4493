import { type ServerResponse } from "node:http";
import { type Clock } from "@/server/kubernetes/clock";
import { createLineSplitter } from "@/server/kubernetes/line-splitter";
import { type FaultPlan, type WatchFault } from "@/server/testing/faults";
import { type ProxyState } from "@/server/testing/fault-proxy";
import { type createUpstream, textOf } from "@/server/testing/upstream";

/** A watch through the proxy: what it was sent, and whether the proxy has ended it. Named in the header `x-stream`. */
export type RelayedStream = { bytesSent: number; ended: boolean };

/** A swallowed event is followed by the end of the stream, as when a server is restarted. */
const DROPPED_FOR_MS = 30_000;
const HUGE_BYTES = 1_500_000;
const GONE = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  code: 410,
  reason: "Expired",
  message: "injected",
};

type Line = { resource: string; text: string; write: (text: string) => void; cut: () => void; mute: () => void };

export function createWatchRelay(options: {
  upstream: ReturnType<typeof createUpstream>;
  clock: Clock;
  plan: FaultPlan | null;
  streams: Map<string, RelayedStream>;
  state: ProxyState;
}) {
  const { upstream, clock, plan, streams, state } = options;
  const firstLists = new Map<string, string>();
  const goneFor = new Set<string>();
  const oldListFor = new Set<string>();
  const frozenAt = new Map<string, string>();
  const firstWorlds = new Map<string, string[]>();
  const open = new Set<() => void>();

  const faults: Record<WatchFault, (line: Line) => void> = {
    cut: ({ cut }) => cut(),
    stall: ({ mute }) => mute(),
    duplicate: ({ text, write }) => write(text + text),
    dropUntilReconnect: ({ mute, cut }) => {
      mute();
      clock.setTimeout(cut, DROPPED_FOR_MS);
    },
    gone410AsStatus: ({ resource, cut }) => {
      goneFor.add(resource);
      cut();
    },
    gone410AsEvent: ({ write, mute }) => {
      write(`${JSON.stringify({ type: "ERROR", object: GONE })}\n`);
      mute();
    },
    garbage: ({ write, text }) => write(`<html>502</html>\n${text}`),
    hugeLine: ({ text, write }) =>
      write(text.replace('"metadata":{', `"metadata":{"managedFields":[{"manager":"${"x".repeat(HUGE_BYTES)}"}],`)),
    oldView: ({ resource, cut }) => {
      goneFor.add(resource);
      oldListFor.add(resource);
      cut();
    },
  };

  const relay = async (path: string, headers: Record<string, string>, response: ServerResponse) => {
    const resource = resourceOf(path);
    if (goneFor.delete(resource)) {
      response.writeHead(410, { "content-type": "application/json" }).end(JSON.stringify(GONE));
      return;
    }
    const answer = await upstream.send("GET", path, headers, "");
    if (answer.statusCode !== 200) {
      response.writeHead(answer.statusCode ?? 502, { "content-type": "application/json" }).end(await textOf(answer));
      return;
    }
    const id = String(streams.size + 1);
    const stream: RelayedStream = { bytesSent: 0, ended: false };
    streams.set(id, stream);
    // Who took the old view for the world also sees no more of it for a while.
    let isMute = frozenAt.get(resource) === versionAskedIn(path);
    if (isMute) frozenAt.delete(resource);
    const end = (how: () => void) => {
      stream.ended = true;
      answer.destroy();
      how();
    };
    const cut = () => end(() => response.destroy());
    const write = (text: string) => {
      stream.bytesSent += Buffer.byteLength(text);
      response.write(text);
    };
    const isWorld = path.includes("sendInitialEvents=true");
    const world: string[] | null = isWorld && !firstWorlds.has(resource) ? [] : null;
    const take = (text: string) => {
      if (world && !firstWorlds.has(resource)) {
        world.push(text);
        if (text.includes("k8s.io/initial-events-end")) firstWorlds.set(resource, world);
      }
      if (isMute || stream.ended) return;
      if (!text.startsWith('{"type":"BOOKMARK"') && !/\/leases/.test(path)) {
        state.events++;
        state.newsAtMs = clock.monotonic();
      }
      const isPlanned = plan?.at === "event" && plan.number === state.events && !state.fired;
      if (!isPlanned) {
        write(`${text}\n`);
        return;
      }
      state.fired = true;
      faults[plan.fault]({ resource, text: `${text}\n`, write, cut, mute: () => (isMute = true) });
    };
    response.writeHead(200, { "content-type": "application/json", "x-stream": id });
    response.flushHeaders();
    const split = createLineSplitter(take);
    answer.on("data", split);
    // A stalled line stays open whatever the server does: that is what makes it a stall.
    answer.on("end", () => !isMute && !stream.ended && end(() => response.end()));
    answer.on("error", () => !stream.ended && cut());
    response.on("close", () => {
      open.delete(cut);
      end(() => undefined);
    });
    open.add(cut);
    const old = firstWorlds.get(resource);
    if (isWorld && old && oldListFor.delete(resource)) {
      isMute = true;
      for (const line of old) write(`${line}\n`);
    }
    if (isMute) clock.setTimeout(cut, DROPPED_FOR_MS);
  };

  return {
    relay,
    /** Remembers the first view of each resource, for the fault that shows it again. */
    sawList: (path: string, text: string) => {
      if (!firstLists.has(resourceOf(path))) firstLists.set(resourceOf(path), text);
    },
    answersList: (path: string, response: ServerResponse): boolean => {
      const old = firstLists.get(resourceOf(path));
      if (old === undefined || asksForNewest(path) || !oldListFor.delete(resourceOf(path))) return false;
      response.writeHead(200, { "content-type": "application/json" }).end(old);
      frozenAt.set(resourceOf(path), versionOf(old));
      return true;
    },
    stop: () => {
      for (const cut of open) cut();
    },
  };
}

function versionOf(list: string): string {
  const { metadata } = JSON.parse(list) as { metadata?: { resourceVersion?: string } }; // a list of the API server
  return metadata?.resourceVersion ?? "";
}

/** A list that names no version is read from a majority of the stores: the one answer that no server gives from an old view. */
function asksForNewest(path: string): boolean {
  return !versionAskedIn(path);
}

function versionAskedIn(path: string): string | null {
  return new URL(path, "http://proxy").searchParams.get("resourceVersion");
}

/** The path without its query: one resource, seen from one worker. */
function resourceOf(path: string): string {
  return path.split("?")[0] ?? path;
}
