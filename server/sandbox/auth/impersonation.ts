import { type IncomingHttpHeaders } from "node:http";
import { type Authorizer, forbiddenAccess } from "@/server/sandbox/auth/authorizer";
import { type ResourceAccess } from "@/server/sandbox/auth/rbac";
import { serviceAccountGroups } from "@/server/sandbox/auth/tokens";
import { badRequestError } from "@/server/sandbox/status-error";
import { type UserInfo } from "@/server/sandbox/type-registry";

const extraPrefix = "impersonate-extra-";

/** The user that a request wants to be, if the one who sends it may; the sender where it asks for nobody else. */
export function impersonated(sender: UserInfo, headers: IncomingHttpHeaders, authorizer: Authorizer): UserInfo {
  if (!asksForAnother(headers)) return sender;
  const username = headers["impersonate-user"];
  const groups = listed(headers["impersonate-group"]);
  const uid = headers["impersonate-uid"];
  const extraNames = Object.keys(headers).filter((name) => name.startsWith(extraPrefix));
  if (typeof username !== "string" || username === "") {
    if (groups.length > 0 || uid !== undefined || extraNames.length > 0)
      throw badRequestError("requested impersonation without impersonating a user");
    return sender;
  }
  const extra = Object.fromEntries(
    extraNames.map((name) => [decodeURIComponent(name.slice(extraPrefix.length)), listed(headers[name])]),
  );
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username);
  const wanted: Omit<ResourceAccess, "verb">[] = [
    account
      ? { group: "", resource: "serviceaccounts", namespace: String(account[1]), name: String(account[2]) }
      : { group: "", resource: "users", name: username },
    ...groups.map((name) => ({ group: "", resource: "groups", name })),
    ...(typeof uid === "string" ? [{ group: "authentication.k8s.io", resource: "uids", name: uid }] : []),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((name) => ({ group: "authentication.k8s.io", resource: "userextras", subresource: key, name })),
    ),
  ];
  for (const access of wanted) {
    const { allowed, reason } = authorizer.authorize(sender, { verb: "impersonate", ...access });
    if (!allowed) throw forbiddenAccess(sender, { verb: "impersonate", ...access }, reason);
  }
  const own = account && groups.length === 0 ? serviceAccountGroups(String(account[1])) : groups;
  return {
    username,
    groups: withAuthenticated(own, username),
    ...(typeof uid === "string" ? { uid } : {}),
    ...(extraNames.length > 0 ? { extra } : {}),
  };
}

function asksForAnother(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith("impersonate-")) return true;
  return false;
}

function withAuthenticated(groups: readonly string[], username: string): string[] {
  const membership = username === "system:anonymous" ? "system:unauthenticated" : "system:authenticated";
  return groups.includes("system:authenticated") || groups.includes("system:unauthenticated")
    ? [...groups]
    : [...groups, membership];
}

/** Node joins repeated headers with a comma. */
function listed(value: string | string[] | undefined): string[] {
  return (Array.isArray(value) ? value : (value ?? "").split(","))
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
