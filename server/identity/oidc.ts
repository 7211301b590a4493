import { createHash, randomBytes } from "node:crypto";
import { createRemoteJWKSet, EncryptJWT, jwtDecrypt, jwtVerify } from "jose";
import { z } from "zod";
import type { Clock } from "@/server/kubernetes/clock";
import { Refused } from "@/server/resources/refusal";

export type OidcOptions = {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  userClaim: string;
  groupsClaim: string;
};

/** Sign-in at an identity provider: authorization code with PKCE, state and nonce. */
export type Oidc = {
  /** Where the browser is sent, and the cookie that it brings back. */
  begin(redirectUri: string, returnTo: string): Promise<{ location: string; pending: string }>;
  /** Who came back. */
  finish(url: URL, redirectUri: string, pending: string): Promise<OidcResult>;
};

export type OidcResult = { name: string; groups: string[]; expiresAt: number; returnTo: string };

const discoverySchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
});
const pendingSchema = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), returnTo: z.string() });
const PENDING_MS = 600_000;
const TIMEOUT_MS = 10_000;

export function createOidc(options: OidcOptions, { clock, secret }: { clock: Clock; secret: string }): Oidc {
  const key = createHash("sha256").update(`orrery sign-in ${secret}`).digest();
  let discovered: Promise<Provider> | null = null;
  const provider = () => {
    discovered ??= discover(options.issuer).catch((error: unknown) => {
      discovered = null;
      throw error;
    });
    return discovered;
  };
  return {
    begin: async (redirectUri, returnTo) => {
      const { authorization_endpoint } = await provider();
      const fresh = () => randomBytes(32).toString("base64url");
      const pending = { state: fresh(), nonce: fresh(), verifier: fresh(), returnTo: ownPath(returnTo) };
      const location = new URL(authorization_endpoint);
      const challenge = createHash("sha256").update(pending.verifier).digest("base64url");
      for (const [name, value] of Object.entries({
        response_type: "code",
        client_id: options.clientId,
        redirect_uri: redirectUri,
        scope: "openid email profile groups",
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: challenge,
        code_challenge_method: "S256",
      }))
        location.searchParams.set(name, value);
      const sealed = await new EncryptJWT(pending)
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .setExpirationTime(Math.floor((clock.now() + PENDING_MS) / 1_000))
        .encrypt(key);
      return { location: location.href, pending: sealed };
    },
    finish: async (url, redirectUri, sealed) => {
      const pending = await jwtDecrypt(sealed, key, { currentDate: new Date(clock.now()) })
        .then(({ payload }) => pendingSchema.parse(payload))
        .catch(() => refuse("The sign-in took too long or was begun elsewhere; begin again."));
      const code = url.searchParams.get("code");
      if (!code || url.searchParams.get("state") !== pending.state)
        return refuse("The identity provider's answer does not belong to this sign-in; begin again.");
      const found = await provider();
      const idToken = await redeem(found, options, { code, redirectUri, verifier: pending.verifier });
      const { payload } = await jwtVerify(idToken, found.keys, {
        issuer: found.issuer,
        audience: options.clientId,
        currentDate: new Date(clock.now()),
      }).catch(() => refuse("The identity provider's token is not valid."));
      if (payload.nonce !== pending.nonce) refuse("The identity provider's token does not belong to this sign-in.");
      return { ...userOf(payload, options), expiresAt: (payload.exp ?? 0) * 1_000, returnTo: pending.returnTo };
    },
  };
}

type Provider = z.infer<typeof discoverySchema> & { keys: ReturnType<typeof createRemoteJWKSet> };

async function discover(issuer: string): Promise<Provider> {
  const answer = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => refuse("The identity provider does not answer."));
  const parsed = discoverySchema.safeParse(await answer.json().catch(() => null));
  if (!parsed.success || parsed.data.issuer !== issuer)
    return refuse("The identity provider does not describe itself as it should.");
  return { ...parsed.data, keys: createRemoteJWKSet(new URL(parsed.data.jwks_uri)) };
}

async function redeem(
  provider: Provider,
  { clientId, clientSecret }: OidcOptions,
  { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: verifier,
    ...(clientSecret === null ? {} : { client_secret: clientSecret }),
  });
  const answer = await fetch(provider.token_endpoint, {
    method: "POST",
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => refuse("The identity provider does not answer."));
  const parsed = z.object({ id_token: z.string() }).safeParse(await answer.json().catch(() => null));
  return parsed.success ? parsed.data.id_token : refuse("The identity provider refused the sign-in.");
}

function userOf(payload: Record<string, unknown>, { userClaim, groupsClaim }: OidcOptions) {
  const name = payload[userClaim];
  if (typeof name !== "string" || name === "") return refuse(`The identity provider's token has no ${userClaim}.`);
  // An address that nobody has proved to own must not become a Kubernetes user.
  if (userClaim === "email" && payload.email_verified === false) return refuse("Your address is not verified.");
  // Names that Kubernetes keeps for itself are never taken from outside.
  if (name.startsWith("system:")) return refuse("This name is reserved.");
  const groups = z.array(z.string()).catch([]).parse(payload[groupsClaim]);
  return { name, groups: [...groups.filter((group) => !group.startsWith("system:")), "system:authenticated"] };
}

/** Only a path of our own: a sign-in must not end on somebody else's page. */
function ownPath(path: string): string {
  return /^\/(?![/\\])/.test(path) ? path : "/";
}

function refuse(sentence: string): never {
  throw new Refused("unauthenticated", sentence);
}
