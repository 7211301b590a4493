import { type KubernetesObject } from "@/server/kubernetes/object";
import { clusterRoleBindingRef, clusterRoleRef, type PolicyRule, type Subject } from "@/server/sandbox/auth/rbac";
import { type Cluster } from "@/server/sandbox/cluster";

const ctx = { user: { username: "system:apiserver", groups: ["system:masters"] } };

/** Creates the roles and bindings that every cluster starts with. What is there already stays as it is. */
export async function seedPolicy(cluster: Cluster): Promise<void> {
  for (const role of clusterRoles()) {
    if (!cluster.get(clusterRoleRef, undefined, role.metadata.name)) await cluster.create(clusterRoleRef, role, ctx);
  }
  for (const binding of clusterRoleBindings()) {
    if (!cluster.get(clusterRoleBindingRef, undefined, binding.metadata.name))
      await cluster.create(clusterRoleBindingRef, binding, ctx);
  }
}

const read = ["get", "list", "watch"];
const write = ["create", "delete", "deletecollection", "patch", "update"];

function rule(apiGroup: string, resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [apiGroup], resources, verbs };
}

/** What namespace users work with, by group: `edit` may write the first list, `view` may read both. */
const workloads: Record<string, readonly string[]> = {
  "": [
    "configmaps",
    "endpoints",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "replicationcontrollers/scale",
    "serviceaccounts",
    "services",
  ],
  apps: [
    "daemonsets",
    "deployments",
    "deployments/scale",
    "replicasets",
    "replicasets/scale",
    "statefulsets",
    "statefulsets/scale",
  ],
  autoscaling: ["horizontalpodautoscalers"],
  batch: ["cronjobs", "jobs"],
  "networking.k8s.io": ["ingresses", "networkpolicies"],
  policy: ["poddisruptionbudgets"],
};

const observed: Record<string, readonly string[]> = {
  "": [
    "bindings",
    "events",
    "limitranges",
    "namespaces",
    "namespaces/status",
    "persistentvolumeclaims/status",
    "pods/log",
    "pods/status",
    "replicationcontrollers/status",
    "resourcequotas",
    "resourcequotas/status",
    "services/status",
  ],
  apps: ["controllerrevisions", "daemonsets/status", "deployments/status", "replicasets/status", "statefulsets/status"],
  autoscaling: ["horizontalpodautoscalers/status"],
  batch: ["cronjobs/status", "jobs/status"],
  "discovery.k8s.io": ["endpointslices"],
  "networking.k8s.io": ["ingresses/status"],
  policy: ["poddisruptionbudgets/status"],
};

function over(table: Record<string, readonly string[]>, verbs: readonly string[]): PolicyRule[] {
  return Object.entries(table)
    .filter(([, resources]) => resources.length > 0)
    .map(([group, resources]) => rule(group, resources, verbs));
}

const viewRules = [...over(workloads, read), ...over(observed, read)];
const editRules = [
  rule("", ["pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "secrets", "services/proxy"], read),
  rule("", ["serviceaccounts"], ["impersonate"]),
  rule(
    "",
    [
      "pods/attach",
      "pods/eviction",
      "pods/exec",
      "pods/portforward",
      "pods/proxy",
      "secrets",
      "serviceaccounts/token",
      "services/proxy",
    ],
    write,
  ),
  ...over(workloads, write),
  rule("coordination.k8s.io", ["leases"], [...write, ...read]),
  rule("", ["events"], ["create", "patch", "update"]),
];
const adminRules = [
  rule("authorization.k8s.io", ["localsubjectaccessreviews"], ["create"]),
  rule("rbac.authorization.k8s.io", ["rolebindings", "roles"], [...write, ...read]),
];

const discoveryPaths = [
  "/api",
  "/api/*",
  "/apis",
  "/apis/*",
  "/healthz",
  "/livez",
  "/openapi",
  "/openapi/*",
  "/readyz",
  "/version",
  "/version/",
];
const publicPaths = ["/healthz", "/livez", "/readyz", "/version", "/version/"];

function clusterRoles(): KubernetesObject[] {
  const everything = [
    { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
    { nonResourceURLs: ["*"], verbs: ["*"] },
  ];
  return [
    role("cluster-admin", everything),
    role("system:aggregate-to-admin", adminRules, { [aggregateTo("admin")]: "true" }),
    role("system:aggregate-to-edit", editRules, { [aggregateTo("edit")]: "true" }),
    role("system:aggregate-to-view", viewRules, { [aggregateTo("view")]: "true" }),
    aggregated("admin", [...adminRules, ...editRules, ...viewRules], {}),
    aggregated("edit", [...editRules, ...viewRules], { [aggregateTo("admin")]: "true" }),
    aggregated("view", viewRules, { [aggregateTo("edit")]: "true" }),
    role("system:discovery", [{ nonResourceURLs: discoveryPaths, verbs: ["get"] }]),
    role("system:public-info-viewer", [{ nonResourceURLs: publicPaths, verbs: ["get"] }]),
    role("system:basic-user", [
      rule("authorization.k8s.io", ["selfsubjectaccessreviews", "selfsubjectrulesreviews"], ["create"]),
      rule("authentication.k8s.io", ["selfsubjectreviews"], ["create"]),
    ]),
    role("system:auth-delegator", [
      rule("authentication.k8s.io", ["tokenreviews"], ["create"]),
      rule("authorization.k8s.io", ["subjectaccessreviews"], ["create"]),
    ]),
  ];
}

const aggregateTo = (name: string) => `rbac.authorization.k8s.io/aggregate-to-${name}`;
const apiVersion = "rbac.authorization.k8s.io/v1";
const isDefault = { "kubernetes.io/bootstrapping": "rbac-defaults" };
const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "true" };

function role(name: string, rules: readonly PolicyRule[], labels: Record<string, string> = {}): KubernetesObject {
  return {
    apiVersion,
    kind: "ClusterRole",
    metadata: { name, labels: { ...isDefault, ...labels }, annotations },
    rules,
  };
}

function aggregated(name: string, rules: readonly PolicyRule[], labels: Record<string, string>): KubernetesObject {
  return {
    ...role(name, rules, labels),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateTo(name)]: "true" } }] },
  };
}

function clusterRoleBindings(): KubernetesObject[] {
  return [
    binding("cluster-admin", [groupSubject("system:masters")]),
    binding("system:discovery", [groupSubject("system:authenticated")]),
    binding("system:basic-user", [groupSubject("system:authenticated")]),
    binding("system:public-info-viewer", [
      groupSubject("system:authenticated"),
      groupSubject("system:unauthenticated"),
    ]),
  ];
}

function groupSubject(name: string): Subject {
  return { kind: "Group", apiGroup: "rbac.authorization.k8s.io", name };
}

function binding(name: string, subjects: readonly Subject[]): KubernetesObject {
  const metadata = { name, labels: isDefault, annotations };
  return {
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects,
  };
}
