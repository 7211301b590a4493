import type { TRPCClient } from "@trpc/client";
import type { AppRouter } from "@/server/trpc/root";
import { statusOf } from "../query-client";
import type { LiveState, Message } from "./live-channel";

const backoffMaxMs = 30_000;
/** A gap shorter than this is only a hiccup; longer, and what is shown may be old. */
const staleAfterMs = 8_000;

type Lead = { tell: (message: Message) => void; ids: () => string[]; from: () => string | null };

/** The stream itself, in the tab that leads: opened again after every break, with growing pauses, until signed out. */
export function leadStream(client: TRPCClient<AppRouter>, { tell, ids, from }: Lead) {
  let subscription: { unsubscribe: () => void } | null = null;
  let asked = "";
  let failures = 0;
  let brokenAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let patience: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let state: LiveState | null = null;

  const say = (mark: LiveState["mark"], since = Date.now()) => {
    state = { mark, since };
    tell({ type: "state", state });
  };
  const fine = () => {
    failures = 0;
    brokenAt = 0;
    clearTimeout(patience);
    say("live");
  };
  const broken = () => {
    brokenAt ||= Date.now();
    const leftMs = brokenAt + staleAfterMs - Date.now();
    say(leftMs > 0 ? "catching up" : "stale", brokenAt);
    // A connection that is cut may say nothing more.
    clearTimeout(patience);
    if (leftMs > 0) patience = setTimeout(broken, leftMs);
  };
  /** A stream in a browser does not tell why it was refused; a question does. */
  const isSignedOut = async (error: unknown) =>
    statusOf(error) === 401 ||
    client.whoami.query().then(
      () => false,
      (refusal: unknown) => statusOf(refusal) === 401,
    );
  const retry = async (error: unknown) => {
    subscription?.unsubscribe();
    if (stopped) return;
    broken();
    if (await isSignedOut(error)) {
      stopped = true;
      clearTimeout(patience);
      say("signed out");
      return;
    }
    const waitMs = Math.min(backoffMaxMs, 500 * 2 ** failures++) * (0.5 + Math.random() / 2);
    later(open, waitMs);
  };
  const later = (run: () => void, ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
  const open = () => {
    if (stopped) return;
    subscription?.unsubscribe();
    const wanted = ids();
    asked = wanted.join();
    subscription = client.fleet.changes.subscribe(
      { ids: wanted, lastEventId: from() },
      {
        onData: ({ data }) => {
          tell({ type: "delta", delta: data });
          if (data.staleMs > staleAfterMs) say("stale", Date.now() - data.staleMs);
          else fine();
        },
        onConnectionStateChange: ({ state, error }) => {
          if (state === "pending") fine();
          else if (error) broken();
        },
        onError: (error) => void retry(error),
        onStopped: () => undefined,
      },
    );
  };
  // The network changed: only a stream opened now tells whether the server can be reached. One that was open before may
  // go on, or be cut without a word.
  const ask = () => later(open, 50);
  window.addEventListener("online", ask);
  window.addEventListener("offline", ask);
  open();

  return {
    /** The rows on screen changed: ask for those, once the page has settled. */
    refresh: () => {
      if (ids().join() !== asked) later(open, 200);
    },
    /** For a tab that came later. */
    greet: () => {
      if (state) tell({ type: "state", state });
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(patience);
      window.removeEventListener("online", ask);
      window.removeEventListener("offline", ask);
      subscription?.unsubscribe();
    },
  };
}
