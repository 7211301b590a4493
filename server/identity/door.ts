import type { KubernetesClient } from "@/server/kubernetes/client";
import type { Clock } from "@/server/kubernetes/clock";
import { Refused } from "@/server/resources/refusal";
import type { Identity } from "./identity";
import { addressOf } from "./caller-address";
import { createOidc, type Oidc, type OidcOptions } from "./oidc";
import { checkOrigin } from "./origin-check";
import { createRateLimit } from "./rate-limit";
import { createSessions, type Sessions } from "./session";
import { createTokenReviewer, type TokenReviewer } from "./token-review";

export type DoorOptions = {
  client: KubernetesClient;
  clock: Clock;
  mode: "none" | "token" | "oidc";
  /** Key of the cookies; without one they end with the process. */
  secret: string;
  publicUrl: string | null;
  oidc?: OidcOptions;
};

/** Who comes in, and whether the request is one that they made themselves. */
export type Door = {
  mode: DoorOptions["mode"];
  identify(request: Request): Promise<Identity | null>;
  spend(identity: Identity, kind: "query" | "mutation" | "subscription"): void;
  /** For attempts to sign in, which nobody has an identity for yet: by the address that they come from. */
  spendAttempt(request: Request): void;
  sessions: Sessions;
  review: TokenReviewer;
  oidc: Oidc | null;
  publicUrl: string | null;
};

/** Far above what a person's pages need, far below what hurts. */
const allowances = {
  query: { perSecond: 100, burst: 400 },
  mutation: { perSecond: 20, burst: 100 },
  subscription: { perSecond: 5, burst: 60 },
  /** Tokens that the cluster does not know yet, from one address: each costs it a TokenReview. */
  attempt: { perSecond: 5, burst: 50 },
};

export function createDoor(options: DoorOptions): Door {
  const { client, clock, mode, secret, publicUrl } = options;
  const review = createTokenReviewer({ client, clock });
  const secure = publicUrl?.startsWith("https:") ?? false;
  const sessions = createSessions({ secret, secure, now: () => clock.now() });
  const limits = {
    query: createRateLimit(clock, allowances.query),
    mutation: createRateLimit(clock, allowances.mutation),
    subscription: createRateLimit(clock, allowances.subscription),
  };
  const attempts = createRateLimit(clock, allowances.attempt);
  const spendAttempt = (request: Request) => attempts.spend(addressOf(request));
  if (mode === "oidc" && !options.oidc) throw new Error("oidc needs ORRERY_OIDC_ISSUER and ORRERY_OIDC_CLIENT_ID.");

  const byCookie = async (request: Request): Promise<Identity | null> => {
    const opened = await sessions.open(request);
    if (!opened) return null;
    const { session, expiresAt } = opened;
    if ("name" in session) return mode === "oidc" ? { ...session, expiresAt, by: "cookie" } : null;
    const reviewed = await review(session.token).catch(unreachable);
    return reviewed && { ...reviewed, expiresAt: Math.min(expiresAt, reviewed.expiresAt ?? Infinity), by: "cookie" };
  };

  const byBearer = async (token: string, request: Request): Promise<Identity | null> => {
    const reviewed = await review(token, () => spendAttempt(request)).catch(unreachable);
    return reviewed && { ...reviewed, by: "bearer" };
  };

  return {
    mode,
    sessions,
    review,
    publicUrl,
    oidc: mode === "oidc" && options.oidc ? createOidc(options.oidc, { clock, secret }) : null,
    identify: async (request) => {
      if (mode === "none") {
        checkOrigin(request, { publicUrl, loopbackOnly: true });
        return nobody;
      }
      const token = /^Bearer (\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
      if (token !== undefined) return byBearer(token, request);
      const identity = await byCookie(request);
      if (identity) checkOrigin(request, { publicUrl, loopbackOnly: false });
      return identity;
    },
    spend: (identity, kind) => limits[kind].spend(identity.name),
    spendAttempt,
  };
}

/** Without sign-in there is one user, who owns the sandbox. */
const nobody: Identity = {
  name: "orrery:local",
  groups: ["system:masters", "system:authenticated"],
  expiresAt: null,
  by: "none",
};

function unreachable(error: unknown): never {
  if (error instanceof Refused) throw error;
  throw new Refused("unavailable", "The cluster could not be asked who you are; try again.");
}

/** `none` lets everybody in who can reach it, so it may be reached from this machine only. */
export function refuseOpenDoor(mode: Door["mode"], host: string): void {
  const isLoopback = host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
  if (mode === "none" && !isLoopback)
    throw new Error(
      `ORRERY_IDENTITY=none lets everybody in, so it listens on a loopback address only, not on ${host}. Choose token or oidc.`,
    );
}
