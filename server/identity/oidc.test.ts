import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from "jose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { createOidc } from "./oidc";

/** An identity provider over real HTTP. `gives` is what it puts into the next token; the rest is by the book. */
const provider = {
  issuer: "",
  server: null as Server | null,
  challenge: "",
  nonce: "",
  gives: {} as Record<string, unknown>,
};
const clock = createVirtualClock({ startMs: Date.UTC(2026, 0, 1) });
const callback = "https://orrery.example/api/session/oidc/callback";
let key: CryptoKey;
let strangersKey: CryptoKey;

beforeAll(async () => {
  const pair = await generateKeyPair("RS256");
  key = pair.privateKey;
  strangersKey = (await generateKeyPair("RS256")).privateKey;
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: "k", alg: "RS256", use: "sig" }];
  provider.server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => void answer(request.url ?? "", body).then((given) => response.end(JSON.stringify(given))));
  });
  await new Promise<void>((done) => provider.server?.listen(0, "127.0.0.1", done));
  // A TCP server's address is never a string.
  provider.issuer = `http://127.0.0.1:${(provider.server.address() as AddressInfo).port}`;

  const answer = async (url: string, body: string): Promise<unknown> => {
    const { issuer } = provider;
    if (url === "/keys") return { keys };
    if (url !== "/token")
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
      };
    const verifier = new URLSearchParams(body).get("code_verifier") ?? "";
    const isTheirs = createHash("sha256").update(verifier).digest("base64url") === provider.challenge;
    return isTheirs ? { id_token: await tokenOf() } : { error: "invalid_grant" };
  };
});
afterAll(() => provider.server?.close());

async function tokenOf(): Promise<string> {
  const { signedBy = key, issuer = provider.issuer, audience = "orrery", expiresInS = 600, ...claims } = provider.gives;
  return new SignJWT({ nonce: provider.nonce, ...claims })
    .setProtectedHeader({ alg: "RS256", kid: "k" })
    .setIssuer(issuer as string)
    .setAudience(audience as string)
    .setExpirationTime(clock.now() / 1_000 + (expiresInS as number))
    .sign(signedBy as CryptoKey);
}

beforeEach(() => {
  provider.gives = { email: "ada@example.com", email_verified: true, groups: ["sre", "system:masters"] };
});

/** A whole sign-in; `bring` is what the browser comes back with. */
async function signIn({ bring = (url: URL) => url, userClaim = "email", returnTo = "/fleet" } = {}) {
  const options = { issuer: provider.issuer, clientId: "orrery", clientSecret: null, userClaim, groupsClaim: "groups" };
  const oidc = createOidc(options, { clock, secret: "a secret" });
  const { location, pending } = await oidc.begin(callback, returnTo);
  const asked = new URL(location).searchParams;
  provider.challenge = asked.get("code_challenge") ?? "";
  provider.nonce = asked.get("nonce") ?? "";
  const back = new URL(callback);
  back.searchParams.set("code", "c");
  back.searchParams.set("state", asked.get("state") ?? "");
  return oidc.finish(bring(back), callback, pending);
}

test("whoever the provider vouches for is let in, without a group that Kubernetes keeps for itself", async () => {
  expect(await signIn()).toEqual({
    name: "ada@example.com",
    groups: ["sre", "system:authenticated"],
    expiresAt: clock.now() + 600_000,
    returnTo: "/fleet",
  });
});

test.each([
  ["a token that another key signed", () => ({ signedBy: strangersKey }), "not valid"],
  ["a token for somebody else", () => ({ audience: "another" }), "not valid"],
  ["a token of another issuer", () => ({ issuer: "https://evil.example" }), "not valid"],
  ["a token that has expired", () => ({ expiresInS: -60 }), "not valid"],
  ["a token of another sign-in", () => ({ nonce: "replayed" }), "does not belong"],
  ["an address that nobody has proved to own", () => ({ email_verified: false }), "not verified"],
  ["a name that Kubernetes keeps for itself", () => ({ email: "system:admin" }), "reserved"],
  ["no name", () => ({ email: "" }), "has no email"],
])("%s lets nobody in", async (_what, wrong, sentence) => {
  Object.assign(provider.gives, wrong());
  await expect(signIn()).rejects.toMatchObject({
    refusal: { code: "unauthenticated", sentence: expect.stringContaining(sentence) as string },
  });
});

test("an answer to a sign-in that this browser did not begin lets nobody in", async () => {
  const bring = (url: URL) => {
    url.searchParams.set("state", "another");
    return url;
  };
  await expect(signIn({ bring })).rejects.toThrow("does not belong to this sign-in");
});

test("a sign-in never ends on somebody else's page", async () => {
  for (const returnTo of ["https://evil.example/", "//evil.example", "/\\evil.example"])
    expect((await signIn({ returnTo })).returnTo).toBe("/");
});
