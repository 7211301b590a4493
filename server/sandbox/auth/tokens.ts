import { createHmac, timingSafeEqual } from "node:crypto";
import { type Cluster } from "@/server/sandbox/cluster";
import { type UserInfo } from "@/server/sandbox/type-registry";

/** What a ServiceAccount's token says about its bearer. */
export type TokenClaims = {
  iss: string;
  sub: string;
  aud: readonly string[];
  iat: number;
  nbf: number;
  /** Absent from a token that lives in a Secret. */
  exp?: number;
  "kubernetes.io": {
    namespace: string;
    serviceaccount: { name: string; uid: string };
    pod?: { name: string; uid: string };
    secret?: { name: string; uid: string };
  };
};

export type Tokens = { sign: (claims: TokenClaims) => string; verify: (token: string) => TokenClaims | null };

/** Who signs tokens; also for whom they are good unless they say otherwise. */
export const issuer = "https://kubernetes.default.svc.cluster.local";

/** Signed JSON web tokens. The key follows from a secret that outlives restarts, and so do the tokens. */
export function createTokens(secret: string): Tokens {
  const key = createHmac("sha256", secret).update("serviceaccount-tokens").digest();
  const signatureOf = (text: string) => createHmac("sha256", key).update(text).digest();
  const header = encode({ alg: "HS256", typ: "JWT" });
  const verified = new Map<string, TokenClaims>();
  return {
    sign: (claims) => {
      const text = `${header}.${encode(claims)}`;
      return `${text}.${signatureOf(text).toString("base64url")}`;
    },
    verify: (token) => {
      const known = verified.get(token);
      if (known) return known;
      const [head = "", body = "", signature = ""] = token.split(".");
      const given = Buffer.from(signature, "base64url");
      const expected = signatureOf(`${head}.${body}`);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as TokenClaims; // Signed, so written by `sign`.
      if (verified.size > 10_000) verified.clear();
      verified.set(token, claims);
      return claims;
    },
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

const serviceAccountRef = { group: "", plural: "serviceaccounts" };

/** The user behind claims, or why there is none: the token is over, or what it was bound to is gone. */
export function userOfClaims(cluster: Cluster, claims: TokenClaims): UserInfo | string {
  const { namespace, serviceaccount, pod, secret } = claims["kubernetes.io"];
  const now = cluster.clock.now() / 1000;
  if (claims.exp !== undefined && now >= claims.exp) return "service account token has expired";
  const account = cluster.get(serviceAccountRef, namespace, serviceaccount.name);
  if (!account) return `serviceaccounts "${serviceaccount.name}" not found`;
  if (account.metadata.uid !== serviceaccount.uid)
    return `service account UID (${String(account.metadata.uid)}) does not match claim (${serviceaccount.uid})`;
  for (const [plural, bound] of Object.entries({ pods: pod, secrets: secret })) {
    if (bound && cluster.get({ group: "", plural }, namespace, bound.name)?.metadata.uid !== bound.uid)
      return "service account token has been invalidated";
  }
  return {
    username: claims.sub,
    uid: serviceaccount.uid,
    groups: [...serviceAccountGroups(namespace), "system:authenticated"],
    ...(pod
      ? {
          extra: {
            "authentication.kubernetes.io/pod-name": [pod.name],
            "authentication.kubernetes.io/pod-uid": [pod.uid],
          },
        }
      : {}),
  };
}

export function serviceAccountGroups(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}
