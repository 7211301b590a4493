import { errorOfStatus, errorOfTransport, malformedError } from "@/server/kubernetes/errors";
import { createLineSplitter } from "@/server/kubernetes/line-splitter";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Transport } from "@/server/kubernetes/transport";

export type WatchEvent = { type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; object: KubernetesObject };

/** Called synchronously, event by event; `onOpen` once, when the server has accepted the watch; `onBytes` with every chunk. */
export type WatchSink = { onEvent(event: WatchEvent): void; onOpen?(): void; onBytes?(): void };

/** What the path needs to be a watch at all. */
const WATCHED = /[?&]watch=(true|1)/;

/**
 * One watch, from opening to its end. Resolves when the server ends it or the signal is aborted; throws a
 * KubernetesError when it is refused, broken, garbled, or when an ERROR event arrives.
 */
export async function watchInto(
  transport: Transport,
  path: string,
  signal: AbortSignal,
  sink: WatchSink,
): Promise<void> {
  const watched = WATCHED.test(path) ? path : `${path}${path.includes("?") ? "&" : "?"}watch=true`;
  const what = `WATCH ${path.split("?")[0] ?? ""}`;
  const givenUp = () => signal.aborted;
  if (givenUp()) return;
  const split = createLineSplitter((line) => {
    // A handler may give up in the middle of a chunk.
    if (!givenUp()) sink.onEvent(eventOf(line, what));
  });
  const answer: Refused = { status: 0, body: [] };
  try {
    await transport.stream(
      { method: "GET", path: watched, signal },
      {
        onStart: (status, headers) => {
          answer.status = status;
          answer.retryAfter = headers["retry-after"];
          if (status < 300 && !givenUp()) sink.onOpen?.();
        },
        onData: (chunk) => {
          if (answer.status >= 300) answer.body.push(chunk);
          else {
            sink.onBytes?.();
            split(chunk);
          }
        },
      },
    );
    // A last line without its newline was cut off in the middle: it is not an event, and is dropped with the splitter.
  } catch (error) {
    if (!givenUp()) throw errorOfTransport(error, what);
  }
  if (answer.status >= 300 && !givenUp()) throw refusal(answer);
}

/** A watch as something to loop over; leaving the loop ends the watch. */
export async function* watchEvents(
  signal: AbortSignal,
  run: (signal: AbortSignal, sink: WatchSink) => Promise<void>,
): AsyncGenerator<WatchEvent> {
  const left = new AbortController();
  const leave = () => left.abort();
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  const pending: WatchEvent[] = [];
  let wake: () => void = () => undefined;
  const onEvent = (event: WatchEvent) => {
    pending.push(event);
    wake();
  };
  const watching = { ended: false };
  const done = run(left.signal, { onEvent }).finally(() => {
    watching.ended = true;
    wake();
  });
  // Awaited below; until then a failure must not count as unhandled.
  done.catch(() => undefined);
  try {
    while (pending.length > 0 || !watching.ended) {
      yield* pending.splice(0);
      if (pending.length === 0 && !watching.ended) await new Promise<void>((resolve) => (wake = resolve));
    }
    await done;
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}

type Refused = { status: number; retryAfter?: string; body: Buffer[] };

function refusal({ status, retryAfter, body }: Refused) {
  return errorOfStatus(status, parsedOr(Buffer.concat(body).toString("utf8")), retryAfter);
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function eventOf(line: string, what: string): WatchEvent {
  const event = parsedLine(line, what);
  if (event.type === "ERROR") {
    const { code } = event.object as { code?: number }; // a Status, by the rules of every watch
    throw errorOfStatus(typeof code === "number" ? code : 500, event.object);
  }
  return event as WatchEvent; // the type is one of the rest, and the object has metadata
}

function parsedLine(line: string, what: string): { type: string; object: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw malformedError(what, line);
  }
  if (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    typeof value.type === "string" &&
    "object" in value
  ) {
    const { type, object } = value;
    if (type === "ERROR" || (typeof object === "object" && object !== null && "metadata" in object))
      return { type, object };
  }
  throw malformedError(what, line);
}
