import { createHash } from "node:crypto";
import { z } from "zod";
import { apis } from "@/server/kubernetes/apis";
import type { KubernetesClient } from "@/server/kubernetes/client";
import type { Clock } from "@/server/kubernetes/clock";
import type { Identity } from "./identity";

/**
 * Who a Kubernetes bearer token is, asked of the cluster by TokenReview. `beforeUnknown` is called before the cluster is
 * asked about a token that it has not vouched for yet; what it throws is the answer.
 */
export type TokenReviewer = (token: string, beforeUnknown?: () => void) => Promise<Omit<Identity, "by"> | null>;

/** A token that was taken back ends within this time. */
const KEEP_MS = 15_000;
const KEPT_MAX = 5_000;

const reviewSchema = z.object({
  status: z.object({
    authenticated: z.boolean().default(false),
    user: z
      .object({
        username: z.string().default(""),
        uid: z.string().optional(),
        groups: z.array(z.string()).default([]),
        extra: z.record(z.string(), z.array(z.string())).optional(),
      })
      .nullish(),
  }),
});

export function createTokenReviewer({ client, clock }: { client: KubernetesClient; clock: Clock }): TokenReviewer {
  // By the hash: a dump of this process's memory must not hand out tokens.
  const kept = new Map<string, { until: number; answer: ReturnType<TokenReviewer>; vouchedFor: boolean }>();
  return async (token, beforeUnknown = () => undefined) => {
    const key = createHash("sha256").update(token).digest("base64");
    const found = kept.get(key);
    if (found && found.until > clock.monotonic()) return found.answer;
    if (!found?.vouchedFor) beforeUnknown();
    const answer = review(client, token);
    const entry = { until: clock.monotonic() + KEEP_MS, answer, vouchedFor: found?.vouchedFor ?? false };
    kept.delete(key);
    kept.set(key, entry);
    answer.then(
      (identity) => (entry.vouchedFor = identity !== null),
      () => kept.delete(key),
    );
    const oldest = kept.keys().next();
    if (kept.size > KEPT_MAX && !oldest.done) kept.delete(oldest.value);
    return answer;
  };
}

async function review(client: KubernetesClient, token: string): ReturnType<TokenReviewer> {
  const answer = await client.create(apis.tokenReview, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    metadata: { name: "" },
    spec: { token },
  });
  const { status } = reviewSchema.parse(answer);
  if (!status.authenticated || !status.user?.username) return null;
  const { username, uid, groups, extra } = status.user;
  return { name: username, groups, ...(uid ? { uid } : {}), ...(extra ? { extra } : {}), expiresAt: expiryOf(token) };
}

/** A ServiceAccount token says itself when it ends; it was reviewed, so what it says is not checked again. */
function expiryOf(token: string): number | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const parsed = z.object({ exp: z.number() }).safeParse(claims);
    return parsed.success ? parsed.data.exp * 1_000 : null;
  } catch {
    return null;
  }
}
