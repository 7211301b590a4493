import { type KubernetesObject } from "@/server/kubernetes/object";
import { type UserInfo } from "@/server/sandbox/type-registry";

const group = "rbac.authorization.k8s.io";
export const roleRef = { group, plural: "roles" };
export const clusterRoleRef = { group, plural: "clusterroles" };
export const roleBindingRef = { group, plural: "rolebindings" };
export const clusterRoleBindingRef = { group, plural: "clusterrolebindings" };
export const rbacRefs = [roleRef, clusterRoleRef, roleBindingRef, clusterRoleBindingRef];

export type PolicyRule = {
  verbs: readonly string[];
  apiGroups?: readonly string[];
  resources?: readonly string[];
  resourceNames?: readonly string[];
  nonResourceURLs?: readonly string[];
};

export type Role = KubernetesObject & { rules?: readonly PolicyRule[] | null; aggregationRule?: AggregationRule };
type AggregationRule = { clusterRoleSelectors?: readonly { matchLabels?: Record<string, string> }[] };
export type Subject = { kind: string; name: string; namespace?: string; apiGroup?: string };
export type Binding = KubernetesObject & {
  subjects?: readonly Subject[] | null;
  roleRef: { apiGroup: string; kind: string; name: string };
};

/** What somebody wants to do: to a resource, or to a path that is none. */
export type AccessAttributes = ResourceAccess | PathAccess;
export type ResourceAccess = {
  verb: string;
  group: string;
  version?: string;
  resource: string;
  subresource?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
};
type PathAccess = { verb: string; path: string };

/** Roles and bindings are validated when they are written, so what is stored has the shape. */
export const asRole = (object: KubernetesObject) => object as Role;
export const asBinding = (object: KubernetesObject) => object as Binding;

export function subjectMatches(subject: Subject, user: UserInfo, namespace: string | undefined): boolean {
  if (subject.kind === "User") return subject.name === "*" || subject.name === user.username;
  if (subject.kind === "Group") return user.groups.includes(subject.name);
  if (subject.kind !== "ServiceAccount") return false;
  return user.username === `system:serviceaccount:${subject.namespace ?? namespace ?? ""}:${subject.name}`;
}

export function ruleAllows(rule: PolicyRule, wanted: AccessAttributes): boolean {
  if (!has(rule.verbs, wanted.verb)) return false;
  if ("path" in wanted) return (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, wanted.path));
  if (!has(rule.apiGroups, wanted.group) || !resourceMatches(rule.resources ?? [], wanted)) return false;
  const names = rule.resourceNames ?? [];
  return names.length === 0 || names.includes(wanted.name ?? "");
}

function has(values: readonly string[] = [], wanted: string): boolean {
  return values.includes("*") || values.includes(wanted);
}

function resourceMatches(resources: readonly string[], { resource, subresource }: ResourceAccess): boolean {
  const combined = subresource ? `${resource}/${subresource}` : resource;
  if (resources.includes("*") || resources.includes(combined)) return true;
  return subresource !== undefined && resources.includes(`*/${subresource}`);
}

function pathMatches(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1));
}
