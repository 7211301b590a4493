import type { TRPCClient } from "@trpc/client";
import type { Delta } from "@/server/live/fleet-changes";
import type { AppRouter } from "@/server/trpc/root";
import { leadStream } from "./lead-stream";

export type LiveState = { mark: "live" | "catching up" | "stale" | "signed out"; since: number };

export type Message =
  | { type: "delta"; delta: Delta }
  | { type: "state"; state: LiveState }
  | { type: "wants"; tab: string; ids: string[] }
  | { type: "gone"; tab: string };

export type LiveListener = { onDelta: (delta: Delta) => void; onState: (state: LiveState) => void };

const idsMax = 500;
/**
 * The one stream of changes of this browser. The tab that holds the lock has it and passes on what it hears; when that
 * tab goes, the next one takes over from the last change that it heard of.
 */
export function openLiveChannel(client: TRPCClient<AppRouter>, listener: LiveListener) {
  const tab = Math.random().toString(36).slice(2);
  const wants = new Map<string, string[]>([[tab, []]]);
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("orrery-live");
  const closing = new AbortController();
  let lastEventId: string | null = null;
  let leading: ReturnType<typeof leadStream> | null = null;

  const hear = (message: Message) => {
    if (message.type === "delta") {
      lastEventId = message.delta.version;
      listener.onDelta(message.delta);
    } else if (message.type === "state") listener.onState(message.state);
    else {
      if (message.type === "gone") wants.delete(message.tab);
      else {
        if (!wants.has(message.tab)) leading?.greet();
        wants.set(message.tab, message.ids);
      }
      leading?.refresh();
    }
  };
  const tell = (message: Message) => {
    if (closing.signal.aborted) return;
    channel?.postMessage(message);
    hear(message);
  };
  // Only tabs of this very page write to the channel.
  channel?.addEventListener("message", ({ data }) => hear(data as Message));

  const takeLead = () =>
    new Promise<void>((resolve) => {
      if (closing.signal.aborted) {
        resolve();
        return;
      }
      leading = leadStream(client, {
        tell,
        ids: () => [...new Set([...wants.values()].flat())].slice(0, idsMax),
        from: () => lastEventId,
      });
      closing.signal.addEventListener("abort", () => {
        leading?.stop();
        resolve();
      });
    });
  // Whoever leads answers how it stands.
  channel?.postMessage({ type: "wants", tab, ids: [] } satisfies Message);
  const locks = typeof navigator === "undefined" ? undefined : (navigator.locks as LockManager | undefined);
  if (channel && locks) void locks.request("orrery-live", { signal: closing.signal }, takeLead).catch(() => undefined);
  else void takeLead();

  return {
    want: (ids: string[]) => tell({ type: "wants", tab, ids }),
    close: () => {
      channel?.postMessage({ type: "gone", tab } satisfies Message);
      closing.abort();
      channel?.close();
    },
  };
}
