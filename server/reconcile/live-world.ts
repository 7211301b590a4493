import { request } from "undici";
import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { errorOfTransport, isNotFound, KubernetesError, timeoutError } from "@/server/kubernetes/errors";
import { pathOf } from "@/server/kubernetes/object";
import { apis } from "@/server/kubernetes/apis";
import { selectorOf } from "./label-selector";
import { type Answer, type LiveWorld, type Where, type World } from "./world";

/** A world that asks the API server for everything: what the web process explains and previews with. */
export function createLiveWorld({ client, clock }: { client: KubernetesClient; clock: Clock }): World {
  const live = liveOver(client, clock);
  return {
    get now() {
      return clock.now();
    },
    get: (api, ref) => live.get(api, ref),
    list: async (api, where = {}) => {
      const selector = selectorOf(where.labels ?? {});
      if (selector === null) return [];
      const found = await live.list(api, { namespace: where.namespace, labelSelector: selector || undefined });
      return found.filter(({ metadata }) => isOwned(metadata.ownerReferences, where));
    },
    live,
  };
}

/** The part of a world that goes out on every call. */
export function liveOver(client: KubernetesClient, clock: Clock): LiveWorld {
  return {
    get: async (api, ref) => {
      try {
        return await client.get(api, ref);
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },
    list: async (api, where = {}) => (await client.list(api, where)).items,
    fetch: (url, { timeoutMs }) => callProcess(clock, { method: "GET", url, timeoutMs }),
    proxy: async (pod, port, path, { timeoutMs }) => {
      const at = { namespace: pod.namespace, name: `${pod.name}:${port}`, subresource: "proxy" };
      try {
        const answer = await client.request("GET", pathOf(apis.pod, at) + path, { timeoutMs });
        return { status: answer.status, body: textOf(answer.body) };
      } catch (error) {
        // The pod's own refusal, or the API server's word that it cannot reach the pod: both are an answer.
        if (error instanceof KubernetesError && error.code > 0) return { status: error.code, body: error.message };
        throw error;
      }
    },
    lastLine: async (pod, { container, bytesMax }) => {
      const { body } = await client.request("GET", pathOf(apis.pod, { ...pod, subresource: "log" }), {
        query: { container, tailLines: Math.ceil(bytesMax / LOG_PIECE_BYTES) + 1 },
        headers: { accept: "*/*" },
      });
      const text = textOf(body).trimEnd();
      return text.slice(text.lastIndexOf("\n") + 1);
    },
  };
}

/** A container's runtime stores a long line in pieces of this size, each of which counts as a line until it is read. */
const LOG_PIECE_BYTES = 16 * 1_024;

/** No managed process has more than this to say. */
const ANSWER_BYTES_MAX = 8 * 1_024 * 1_024;

/** One call to a managed process, without following a redirect. */
export async function callProcess(
  clock: Clock,
  call: { method: string; url: string; body?: unknown; timeoutMs: number; right?: AbortSignal },
): Promise<Answer> {
  const ended = new AbortController();
  const limit = { passed: false };
  const timer = clock.setTimeout(() => {
    limit.passed = true;
    ended.abort();
  }, call.timeoutMs);
  const giveUp = () => ended.abort();
  call.right?.addEventListener("abort", giveUp, { once: true });
  const what = `${call.method} ${new URL(call.url).origin}`;
  try {
    const { statusCode, body } = await request(call.url, {
      // undici takes any method; its type names only some.
      method: call.method as "GET",
      headers: call.body === undefined ? {} : { "content-type": "application/json" },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal: ended.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > ANSWER_BYTES_MAX) throw new Error(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`);
      chunks.push(chunk);
    }
    return { status: statusCode, body: Buffer.concat(chunks).toString("utf8") };
  } catch (error) {
    if (call.right?.aborted) throw call.right.reason;
    throw limit.passed ? timeoutError(what, call.timeoutMs) : errorOfTransport(error, what);
  } finally {
    clock.clearTimeout(timer);
    call.right?.removeEventListener("abort", giveUp);
  }
}

function isOwned(owners: { uid: string }[] | undefined, { ownerUid }: Where): boolean {
  return ownerUid === undefined || (owners ?? []).some((owner) => owner.uid === ownerUid);
}

function textOf(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}
