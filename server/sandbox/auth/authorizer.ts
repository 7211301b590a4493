import { type Cluster } from "@/server/sandbox/cluster";
import {
  type AccessAttributes,
  asBinding,
  asRole,
  type Binding,
  clusterRoleBindingRef,
  clusterRoleRef,
  type PolicyRule,
  rbacRefs,
  roleBindingRef,
  roleRef,
  ruleAllows,
  subjectMatches,
  type Subject,
} from "@/server/sandbox/auth/rbac";
import { forbiddenError, StatusError } from "@/server/sandbox/status-error";
import { type UserInfo } from "@/server/sandbox/type-registry";

type Decision = { allowed: boolean; reason: string };

export type Authorizer = {
  authorize: (user: UserInfo, wanted: AccessAttributes) => Decision;
  /** All that a user may do in a namespace, cluster-wide rules included. */
  rulesFor: (user: UserInfo, namespace: string | undefined) => readonly PolicyRule[];
  stop: () => void;
};

type Grant = { rule: PolicyRule; reason: string };
type Grants = { grants: readonly Grant[]; missing: readonly string[] };

/** Role based access. What a user may do is worked out once and kept until a role or binding changes. */
export function createAuthorizer(cluster: Cluster): Authorizer {
  const known = new Map<string, Map<string, Grants>>();
  const stops = rbacRefs.map((ref) => cluster.watch(ref, () => known.clear()));

  function grantsOf(user: UserInfo, namespace: string | undefined): Grants {
    const key = `${user.username}\n${user.groups.join("\n")}`;
    const mine = known.get(key) ?? new Map<string, Grants>();
    known.set(key, mine);
    const found = mine.get(namespace ?? "") ?? collectGrants(cluster, user, namespace);
    mine.set(namespace ?? "", found);
    return found;
  }

  return {
    authorize(user, wanted) {
      if (user.groups.includes("system:masters")) return { allowed: true, reason: "" };
      const { grants, missing } = grantsOf(user, "path" in wanted ? undefined : wanted.namespace);
      const grant = grants.find(({ rule }) => ruleAllows(rule, wanted));
      if (grant) return { allowed: true, reason: grant.reason };
      return {
        allowed: false,
        reason:
          missing.length === 0 ? "" : `RBAC: ${missing.length === 1 ? String(missing[0]) : `[${missing.join(", ")}]`}`,
      };
    },
    rulesFor(user, namespace) {
      const all = user.groups.includes("system:masters") ? everything : [];
      return [...all, ...grantsOf(user, namespace).grants.map(({ rule }) => rule)];
    },
    stop: () => stops.forEach((stop) => stop()),
  };
}

const everything: PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function collectGrants(cluster: Cluster, user: UserInfo, namespace: string | undefined): Grants {
  const grants: Grant[] = [];
  const missing: string[] = [];
  const collect = (binding: Binding, title: string) => {
    const subject = (binding.subjects ?? []).find((of) => subjectMatches(of, user, binding.metadata.namespace));
    if (!subject) return;
    const { kind, name } = binding.roleRef;
    const role =
      kind === "ClusterRole"
        ? cluster.get(clusterRoleRef, undefined, name)
        : cluster.get(roleRef, binding.metadata.namespace, name);
    if (!role) missing.push(`${kind.toLowerCase()}.rbac.authorization.k8s.io "${name}" not found`);
    const reason = `RBAC: allowed by ${title} of ${kind} "${name}" to ${subjectText(subject)}`;
    for (const rule of (role && asRole(role).rules) ?? []) grants.push({ rule, reason });
  };
  for (const binding of cluster.list(clusterRoleBindingRef))
    collect(asBinding(binding), `ClusterRoleBinding "${binding.metadata.name}"`);
  if (namespace) {
    for (const binding of cluster.list(roleBindingRef, { namespace }))
      collect(asBinding(binding), `RoleBinding "${binding.metadata.name}/${namespace}"`);
  }
  return { grants, missing };
}

function subjectText({ kind, name, namespace }: Subject): string {
  return kind === "ServiceAccount" ? `ServiceAccount "${name}/${namespace ?? ""}"` : `${kind} "${name}"`;
}

/** The 403 for a refused request. */
export function forbiddenAccess(user: UserInfo, wanted: AccessAttributes, reason: string): StatusError {
  const because = reason === "" ? "" : `: ${reason}`;
  if ("path" in wanted) {
    return new StatusError(
      403,
      "Forbidden",
      `forbidden: User "${user.username}" cannot ${wanted.verb} path "${wanted.path}"${because}`,
      {},
    );
  }
  return forbiddenError(
    { group: wanted.group, plural: wanted.resource },
    wanted.name ?? "",
    `${refusalText(user, wanted)}${because}`,
  );
}

function refusalText(user: UserInfo, wanted: Exclude<AccessAttributes, { path: string }>): string {
  const resource = wanted.subresource ? `${wanted.resource}/${wanted.subresource}` : wanted.resource;
  const where = wanted.namespace ? `in the namespace "${wanted.namespace}"` : "at the cluster scope";
  return `User "${user.username}" cannot ${wanted.verb} resource "${resource}" in API group "${wanted.group}" ${where}`;
}
