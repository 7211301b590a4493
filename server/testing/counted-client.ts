import { clientOver, type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { type Connection } from "@/server/kubernetes/connection";
import { createTransport, type Stream, type Transport } from "@/server/kubernetes/transport";

/** What a worker's client has under way: together with the proxy's counts it says exactly when all is quiet. */
export type Traffic = {
  /** Requests without an answer yet. */
  waiting: number;
  /** Callers that wait for time to pass before they try again. */
  sleeping: number;
  /** Requests ever made: a change shows that something happened between two looks. */
  total: number;
  /** Bytes taken from each watch, by its name in the proxy; closed ones have gone. */
  streams: Map<string, number>;
};

export function createCountedClient(
  connection: Connection,
  clock: Clock,
): { client: KubernetesClient; traffic: Traffic } {
  const traffic: Traffic = { waiting: 0, sleeping: 0, total: 0, streams: new Map() };
  const inner = createTransport(connection, { clock });

  const counted = async <T>(run: () => Promise<T>): Promise<T> => {
    traffic.waiting++;
    traffic.total++;
    try {
      return await run();
    } finally {
      traffic.waiting--;
    }
  };

  const transport: Transport = {
    ...inner,
    send: (request) => counted(() => inner.send(request)),
    open: (request) =>
      counted(async () => {
        const stream = await inner.open(request);
        const id = stream.headers["x-stream"];
        return typeof id === "string" ? countedStream(stream, id, traffic) : stream;
      }),
  };
  const sleep: Clock["sleep"] = async (ms, signal) => {
    traffic.sleeping++;
    await clock.sleep(ms, signal);
    traffic.sleeping--;
  };
  return { client: clientOver(transport, { ...clock, sleep }), traffic };
}

function countedStream(stream: Stream, id: string, traffic: Traffic): Stream {
  traffic.streams.set(id, 0);
  const { body } = stream;
  const close = () => {
    traffic.streams.delete(id);
    body.destroy();
  };
  async function* chunks() {
    try {
      for await (const chunk of body) {
        yield chunk;
        // Asked for the next: this one has been taken in.
        traffic.streams.set(id, (traffic.streams.get(id) ?? 0) + chunk.length);
      }
    } finally {
      traffic.streams.delete(id);
    }
  }
  return { ...stream, body: { [Symbol.asyncIterator]: chunks, destroy: close, text: () => body.text() } };
}
