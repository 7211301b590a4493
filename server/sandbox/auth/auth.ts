import { type KubernetesObject } from "@/server/kubernetes/object";
import { type AdmissionPlugin } from "@/server/sandbox/admission-plugin";
import { createAuthenticator } from "@/server/sandbox/auth/authenticator";
import { createAuthorizer, forbiddenAccess } from "@/server/sandbox/auth/authorizer";
import { escalationCheck } from "@/server/sandbox/auth/escalation-check";
import { reviewAnswers } from "@/server/sandbox/auth/reviews";
import { startRoleAggregation } from "@/server/sandbox/auth/role-aggregation";
import { requestToken } from "@/server/sandbox/auth/token-request";
import { startTokenSecrets } from "@/server/sandbox/auth/token-secrets";
import { createTokens } from "@/server/sandbox/auth/tokens";
import { type Cluster } from "@/server/sandbox/cluster";
import { type Access } from "@/server/sandbox/http/access";
import { unauthorizedError } from "@/server/sandbox/status-error";
import { type Strategy } from "@/server/sandbox/type-registry";

export type Auth = {
  access: Access;
  /** By `plural.group`: what the review kinds answer. */
  answers: Readonly<Record<string, NonNullable<Strategy["answer"]>>>;
  /** POST serviceaccounts/<name>/token. */
  requestToken: (at: { namespace: string; name: string }, request: KubernetesObject) => KubernetesObject;
  plugin: AdmissionPlugin;
  /** Starts what fills token Secrets and aggregated ClusterRoles. */
  start: () => () => void;
};

export type AuthOptions = { cluster: Cluster; adminToken: string; anonymousAdmin?: boolean; caBundle?: () => string };

/** Everything about who somebody is and what they may do. */
export function createAuth({ cluster, adminToken, anonymousAdmin = false, caBundle = () => "" }: AuthOptions): Auth {
  const tokens = createTokens(adminToken);
  const authorizer = createAuthorizer(cluster);
  const authenticator = createAuthenticator({ cluster, authorizer, tokens, adminToken, anonymousAdmin });
  return {
    access: {
      authenticate(headers) {
        const user = authenticator.authenticate(headers);
        if (user === null) throw unauthorizedError();
        return user;
      },
      authorize(user, wanted) {
        const { allowed, reason } = authorizer.authorize(user, wanted);
        if (!allowed) throw forbiddenAccess(user, wanted, reason);
      },
    },
    answers: reviewAnswers({ authorizer, authenticator }),
    requestToken: (at, request) => requestToken(cluster, tokens, at, request),
    plugin: escalationCheck(cluster, authorizer),
    start: () => {
      const stops = [startRoleAggregation(cluster), startTokenSecrets(cluster, tokens, caBundle), authorizer.stop];
      return () => stops.forEach((stop) => stop());
    },
  };
}
