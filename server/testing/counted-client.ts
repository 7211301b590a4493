import { clientOver, type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { type Connection } from "@/server/kubernetes/connection";
import { createTransport, type Transport } from "@/server/kubernetes/transport";

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
    stream: (request, sink) => counting(request, sink),
  };

  const counting: Transport["stream"] = async (request, sink) => {
    traffic.waiting++;
    traffic.total++;
    const stream = { id: "", begun: false };
    const begin = () => {
      if (!stream.begun) traffic.waiting--;
      stream.begun = true;
    };
    try {
      await inner.stream(request, {
        onStart: (status, headers) => {
          begin();
          const id = headers["x-stream"];
          if (typeof id === "string") traffic.streams.set((stream.id = id), 0);
          sink.onStart(status, headers);
        },
        onData: (chunk) => {
          sink.onData(chunk);
          const taken = traffic.streams.get(stream.id);
          if (taken !== undefined) traffic.streams.set(stream.id, taken + chunk.length);
        },
      });
    } finally {
      begin();
      traffic.streams.delete(stream.id);
    }
  };
  const sleep: Clock["sleep"] = async (ms, signal) => {
    traffic.sleeping++;
    await clock.sleep(ms, signal);
    traffic.sleeping--;
  };
  return { client: clientOver(transport, { ...clock, sleep }), traffic };
}
