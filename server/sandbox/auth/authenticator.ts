import { type IncomingHttpHeaders } from "node:http";
import { type Authorizer } from "@/server/sandbox/auth/authorizer";
import { impersonated } from "@/server/sandbox/auth/impersonation";
import { issuer, type Tokens, userOfClaims } from "@/server/sandbox/auth/tokens";
import { type Cluster } from "@/server/sandbox/cluster";
import { type UserInfo } from "@/server/sandbox/type-registry";

export type Authenticator = {
  /** Who sends a request; null for a token that nobody has (401). Throws when an impersonation is refused. */
  authenticate: (headers: IncomingHttpHeaders) => UserInfo | null;
  /** The bearer of a token, with the audiences it is good for, or why there is none. */
  review: (token: string, audiences: readonly string[]) => Review;
};

type Review = { user: UserInfo; audiences: readonly string[] } | { error: string };

export type AuthenticatorOptions = {
  cluster: Cluster;
  authorizer: Authorizer;
  tokens: Tokens;
  adminToken: string;
  /** Without a token one is the administrator; otherwise system:anonymous. */
  anonymousAdmin?: boolean;
};

const admin: UserInfo = { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] };
const anonymous: UserInfo = { username: "system:anonymous", groups: ["system:unauthenticated"] };

export function createAuthenticator({
  cluster,
  authorizer,
  tokens,
  adminToken,
  anonymousAdmin = false,
}: AuthenticatorOptions): Authenticator {
  function review(token: string, audiences: readonly string[]): Review {
    const wanted = audiences.length === 0 ? [issuer] : audiences;
    if (token === adminToken) return { user: admin, audiences: wanted.filter((audience) => audience === issuer) };
    const claims = tokens.verify(token);
    if (!claims) return { error: "invalid bearer token" };
    const good = claims.aud.filter((audience) => wanted.includes(audience));
    if (good.length === 0)
      return {
        error: `[invalid bearer token, token audiences ${goList(claims.aud)} is invalid for the target audiences ${goList(wanted)}]`,
      };
    const user = userOfClaims(cluster, claims);
    return typeof user === "string" ? { error: `[invalid bearer token, ${user}]` } : { user, audiences: good };
  }

  function requester(headers: IncomingHttpHeaders): UserInfo | null {
    const [scheme = "", token = ""] = (headers.authorization ?? "").trim().split(/\s+/);
    if (scheme.toLowerCase() !== "bearer" || token === "") return anonymousAdmin ? admin : anonymous;
    const result = review(token, []);
    return "user" in result ? result.user : null;
  }

  return {
    review,
    authenticate(headers) {
      const user = requester(headers);
      return user === null ? null : impersonated(user, headers, authorizer);
    },
  };
}

function goList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}
