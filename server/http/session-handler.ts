import { z } from "zod";
import { checkOrigin } from "@/server/identity/origin-check";
import { cookieOf } from "@/server/identity/session";
import { Refused } from "@/server/resources/refusal";
import type { Services } from "@/server/services";
import { handle } from "./handle";

/** A session is worked with for a day at most, however long its token lives. */
const SESSION_MS_MAX = 12 * 3_600_000;
const PENDING_COOKIE = "orrery_sign_in";

const tokenSchema = z.object({ token: z.string().min(1).max(10_000) });

/** /api/session: sign in with a Kubernetes token or at the identity provider, and out again. */
export function handleSession(services: Services, request: Request): Promise<Response> {
  return handle(services, request, async (req) => {
    const { pathname } = new URL(req.url);
    const route = routes[`${req.method} ${pathname}`];
    if (!route) throw new Refused("not found", "There is no such address.");
    return route(services, req);
  });
}

type Route = (services: Services, request: Request) => Promise<Response>;

const routes: Record<string, Route> = {
  "POST /api/session": signInByToken,
  "DELETE /api/session": signOut,
  "GET /api/session/oidc": beginOidc,
  "GET /api/session/oidc/callback": finishOidc,
};

async function signInByToken({ door, clock }: Services, request: Request): Promise<Response> {
  if (door.mode !== "token") throw new Refused("invalid", "Sign-in by token is not what this server uses.");
  checkOrigin(request, { publicUrl: door.publicUrl, loopbackOnly: false });
  door.spendAttempt(request);
  const body = tokenSchema.safeParse(await request.json().catch(() => null));
  if (!body.success) throw new Refused("invalid", 'The body must be JSON of the form {"token": "…"}.');
  const identity = await door.review(body.data.token);
  if (!identity) throw new Refused("unauthenticated", "The cluster does not know this token.");
  const expiresAt = Math.min(clock.now() + SESSION_MS_MAX, identity.expiresAt ?? Infinity);
  const cookie = await door.sessions.seal({ token: body.data.token }, expiresAt);
  return Response.json({ name: identity.name, groups: identity.groups }, { headers: { "set-cookie": cookie } });
}

async function signOut({ door }: Services, request: Request): Promise<Response> {
  checkOrigin(request, { publicUrl: door.publicUrl, loopbackOnly: false });
  return Response.json({}, { headers: { "set-cookie": door.sessions.clear() } });
}

async function beginOidc({ door }: Services, request: Request): Promise<Response> {
  const url = new URL(request.url);
  door.spendAttempt(request);
  const oidc = door.oidc ?? notUsed();
  const { location, pending } = await oidc.begin(
    callbackOf(door.publicUrl, url),
    url.searchParams.get("returnTo") ?? "/",
  );
  const secure = door.publicUrl?.startsWith("https:") ? "; Secure" : "";
  const cookie = `${PENDING_COOKIE}=${pending}; Path=/api/session/oidc; Max-Age=600; HttpOnly; SameSite=Lax${secure}`;
  return new Response(null, { status: 302, headers: { location, "set-cookie": cookie } });
}

async function finishOidc({ door, clock }: Services, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const oidc = door.oidc ?? notUsed();
  const { name, groups, expiresAt, returnTo } = await oidc.finish(
    url,
    callbackOf(door.publicUrl, url),
    cookieOf(request, PENDING_COOKIE) ?? "",
  );
  const cookie = await door.sessions.seal({ name, groups }, Math.min(expiresAt, clock.now() + SESSION_MS_MAX));
  return new Response(null, { status: 302, headers: { location: returnTo, "set-cookie": cookie } });
}

function callbackOf(publicUrl: string | null, url: URL): string {
  return new URL("/api/session/oidc/callback", publicUrl ?? url.origin).href;
}

function notUsed(): never {
  throw new Refused("invalid", "Sign-in at an identity provider is not what this server uses.");
}
