import { type AdmissionPlugin } from "@/server/sandbox/admission-plugin";
import { type Authorizer } from "@/server/sandbox/auth/authorizer";
import { asBinding, asRole, clusterRoleRef, type PolicyRule, roleRef } from "@/server/sandbox/auth/rbac";
import { type Cluster } from "@/server/sandbox/cluster";
import { equalJson } from "@/server/sandbox/json";
import { forbiddenError, notFoundError } from "@/server/sandbox/status-error";
import { type UserInfo } from "@/server/sandbox/type-registry";

const group = "rbac.authorization.k8s.io";

/** Nobody hands out rights that they do not have, unless they may `escalate` roles or `bind` this one. */
export function escalationCheck(cluster: Cluster, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: "RBACEscalation",
    validate: ({ operation, type, object, oldObject, namespace, ctx: { user } }) => {
      if (type.group !== group || !object || operation === "DELETE" || user.groups.includes("system:masters")) return;
      const { name } = object.metadata;
      const may = (verb: string, resource: string, of: string) =>
        authorizer.authorize(user, { verb, group, resource, name: of, ...(namespace ? { namespace } : {}) }).allowed;
      const refuse = (missing: readonly PolicyRule[]) => {
        if (missing.length > 0) throw forbiddenError(type, name, escalationText(user, missing));
      };
      if (type.plural === "roles" || type.plural === "clusterroles") {
        const rules = asRole(object).rules ?? [];
        if (equalJson(rules, oldObject && asRole(oldObject).rules) || may("escalate", type.plural, name)) return;
        refuse(missingRules(authorizer.rulesFor(user, namespace), rules));
        return;
      }
      const { roleRef: ref } = asBinding(object);
      const resource = ref.kind === "ClusterRole" ? clusterRoleRef : roleRef;
      if (may("bind", resource.plural, ref.name)) return;
      const role = cluster.get(resource, ref.kind === "ClusterRole" ? undefined : namespace, ref.name);
      if (!role) throw notFoundError(resource, ref.name);
      refuse(missingRules(authorizer.rulesFor(user, namespace), asRole(role).rules ?? []));
    },
  };
}

/** What of the wanted rules is not covered by the held ones, one group and resource at a time. */
function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(atomsOf).flatMap((atom) => {
    const verbs = atom.verbs.filter((verb) => !held.some((rule) => covers(rule, { ...atom, verbs: [verb] })));
    return verbs.length === 0 ? [] : [{ ...atom, verbs }];
  });
}

function atomsOf(rule: PolicyRule): PolicyRule[] {
  const { verbs, resourceNames = [] } = rule;
  const paths = (rule.nonResourceURLs ?? []).map((path) => ({ verbs, nonResourceURLs: [path] }));
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ resourceNames: [name] }));
  const resources = (rule.apiGroups ?? []).flatMap((apiGroup) =>
    (rule.resources ?? []).flatMap((resource) =>
      names.map((named) => ({ verbs, apiGroups: [apiGroup], resources: [resource], ...named })),
    ),
  );
  return [...resources, ...paths];
}

function covers(held: PolicyRule, atom: PolicyRule): boolean {
  if (!within(held.verbs, atom.verbs)) return false;
  if (atom.nonResourceURLs) {
    return atom.nonResourceURLs.every((path) =>
      (held.nonResourceURLs ?? []).some(
        (own) => own === "*" || own === path || (own.endsWith("*") && path.startsWith(own.slice(0, -1))),
      ),
    );
  }
  const subresource = atom.resources?.[0]?.split("/")[1];
  const resources = held.resources ?? [];
  const named = held.resourceNames ?? [];
  return (
    within(held.apiGroups ?? [], atom.apiGroups ?? []) &&
    (within(resources, atom.resources ?? []) ||
      (subresource !== undefined && resources.includes(`*/${subresource}`))) &&
    (named.length === 0 || (atom.resourceNames !== undefined && within(named, atom.resourceNames)))
  );
}

function within(held: readonly string[], wanted: readonly string[]): boolean {
  return held.includes("*") || wanted.every((value) => held.includes(value));
}

function escalationText({ username, groups }: UserInfo, missing: readonly PolicyRule[]): string {
  const rules = missing.map(ruleText).sort();
  return `user ${JSON.stringify(username)} (groups=${quotedList(groups)}) is attempting to grant RBAC permissions not currently held:\n${rules.join("\n")}`;
}

function quotedList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}

function ruleText({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: PolicyRule): string {
  const parts = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    ResourceNames: resourceNames,
    NonResourceURLs: nonResourceURLs,
    Verbs: verbs,
  });
  return `{${parts.flatMap(([title, values]) => (values?.length ? [`${title}:${quotedList(values)}`] : [])).join(", ")}}`;
}
