import { z } from "zod";
import type { Kind } from "@/machines/kind";
import { apis } from "@/server/kubernetes/apis";
import type { KubernetesClient } from "@/server/kubernetes/client";
import type { Clock } from "@/server/kubernetes/clock";
import type { Identity } from "./identity";

/** What is asked of the cluster's own rules. A command is a verb of its own: `start`, `stop`, `clear`, … */
export type Question = {
  verb: string;
  api: Pick<Kind["api"], "group" | "plural">;
  namespace?: string;
  name?: string;
};

/** `unknown`: the check itself failed, which is neither yes nor no. */
export type Verdict = { allowed: true } | { allowed: false; unknown: boolean; reason: string };

export type Rights = {
  may(identity: Identity, question: Question): Promise<Verdict>;
};

/** Answers are kept this long: a right that was taken away ends within it. */
const KEEP_MS = 15_000;
const KEPT_MAX = 20_000;

/** Rights are Kubernetes' own, asked by SubjectAccessReview in the name of the caller. */
export function createRights({ client, clock }: { client: KubernetesClient; clock: Clock }): Rights {
  const kept = new Map<string, { until: number; verdict: Promise<Verdict> }>();

  return {
    may(identity, question) {
      const key = JSON.stringify([identity.name, identity.groups, identity.extra ?? {}, question]);
      const found = kept.get(key);
      if (found && found.until > clock.monotonic()) return found.verdict;
      const verdict = review(client, identity, question);
      kept.delete(key);
      kept.set(key, { until: clock.monotonic() + KEEP_MS, verdict });
      // A check that failed is asked again at once.
      void verdict.then((given) => {
        if (!given.allowed && given.unknown && kept.get(key)?.verdict === verdict) kept.delete(key);
      });
      const oldest = kept.keys().next();
      if (kept.size > KEPT_MAX && !oldest.done) kept.delete(oldest.value);
      return verdict;
    },
  };
}

const answerSchema = z.object({
  status: z.object({ allowed: z.boolean(), reason: z.string().optional(), evaluationError: z.string().optional() }),
});

async function review(client: KubernetesClient, identity: Identity, question: Question): Promise<Verdict> {
  const { verb, api, namespace, name } = question;
  try {
    const answer = await client.create(apis.subjectAccessReview, {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      // The API server names no review; the client's type wants a name.
      metadata: { name: "" },
      spec: {
        user: identity.name,
        groups: identity.groups,
        uid: identity.uid,
        extra: identity.extra,
        resourceAttributes: { verb, group: api.group, resource: api.plural, namespace, name },
      },
    });
    const { status } = answerSchema.parse(answer);
    if (status.allowed) return { allowed: true };
    return { allowed: false, unknown: false, reason: status.reason ?? "" };
  } catch (error) {
    return { allowed: false, unknown: true, reason: error instanceof Error ? error.message : String(error) };
  }
}
