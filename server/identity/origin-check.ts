import { Refused } from "@/server/resources/refusal";

const loopback = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * A browser sends a cookie, or reaches a loopback address, on behalf of any page. So what changes something must come
 * from our own pages, and without sign-in the name in the address bar must be this machine's own (DNS rebinding).
 */
export function checkOrigin(request: Request, rules: { publicUrl: string | null; loopbackOnly: boolean }): void {
  const host = request.headers.get("host") ?? new URL(request.url).host;
  if (rules.loopbackOnly && !loopback.has(host.replace(/:\d+$/, "")))
    throw new Refused("permission", "Without sign-in Orrery answers only at a loopback address.");
  if (request.method === "GET" || request.method === "HEAD") return;
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none")
    throw new Refused("permission", "This request comes from another site.");
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const allowed = [host, ...(rules.publicUrl ? [new URL(rules.publicUrl).host] : [])];
  if (!URL.canParse(origin) || !allowed.includes(new URL(origin).host))
    throw new Refused("permission", "This request comes from another site.");
}
