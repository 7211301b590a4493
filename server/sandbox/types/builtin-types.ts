import {
  storageKeyOf,
  type ResourceType,
  type Strategy,
  type Subresource,
  type Verb,
} from "@/server/sandbox/type-registry";
import { builtinSchema } from "@/server/sandbox/schema/builtin-schema";
import { builtinColumns } from "@/server/sandbox/table/builtin-columns";
import { autoscalerConversion } from "@/server/sandbox/types/autoscaler-conversion";
import { eventConversion } from "@/server/sandbox/types/event-conversion";
import { builtinStrategies } from "@/server/sandbox/types/builtin-strategies";

type Answers = Readonly<Record<string, NonNullable<Strategy["answer"]>>>;

/** Every resource that the sandbox serves before any CRD is there; `answers` are given by the kinds that are not stored. */
export function builtinTypes(answers: Answers = {}): ResourceType[] {
  return rows.map((row) => typeOf(row, answers));
}

const everyVerb: readonly Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const createOnly: readonly Verb[] = ["create"];
const inPlace: readonly Verb[] = ["get", "patch", "update"];

type Row = readonly [groupVersion: string, kind: string, plural: string, scope: "Namespaced" | "Cluster", more?: More];
type More = {
  short?: readonly string[];
  categories?: readonly string[];
  sub?: readonly (keyof typeof subresources)[];
  verbs?: readonly Verb[];
};

const subresources = {
  status: { kind: "", verbs: inPlace },
  scale: {
    kind: "Scale",
    group: "autoscaling",
    version: "v1",
    verbs: inPlace,
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".spec.selector",
    },
  },
  finalize: { kind: "Namespace", verbs: ["update"] },
  approval: { kind: "CertificateSigningRequest", verbs: inPlace },
  log: { kind: "Pod", verbs: ["get"] },
  exec: { kind: "PodExecOptions", verbs: ["create", "get"] },
  attach: { kind: "PodAttachOptions", verbs: ["create", "get"] },
  portforward: { kind: "PodPortForwardOptions", verbs: ["create", "get"] },
  podProxy: { kind: "PodProxyOptions", verbs: ["create", "delete", "get", "patch", "update"] },
  serviceProxy: { kind: "ServiceProxyOptions", verbs: ["create", "delete", "get", "patch", "update"] },
  binding: { kind: "Binding", verbs: createOnly },
  eviction: { kind: "Eviction", group: "policy", version: "v1", verbs: createOnly },
  ephemeralcontainers: { kind: "Pod", verbs: inPlace },
  token: { kind: "TokenRequest", group: "authentication.k8s.io", version: "v1", verbs: createOnly },
} as const satisfies Record<string, Subresource>;

const rbac = "rbac.authorization.k8s.io/v1";
const storage = "storage.k8s.io/v1";
const networking = "networking.k8s.io/v1";
const authorization = "authorization.k8s.io/v1";
const admission = "admissionregistration.k8s.io/v1";
const review: More = { verbs: createOnly };
const all = ["all"] as const;

const rows: readonly Row[] = [
  ["v1", "Binding", "bindings", "Namespaced", { verbs: createOnly }],
  ["v1", "ConfigMap", "configmaps", "Namespaced", { short: ["cm"] }],
  ["v1", "Endpoints", "endpoints", "Namespaced", { short: ["ep"] }],
  ["v1", "Event", "events", "Namespaced", { short: ["ev"] }],
  ["v1", "LimitRange", "limitranges", "Namespaced", { short: ["limits"] }],
  ["v1", "Namespace", "namespaces", "Cluster", { short: ["ns"], sub: ["finalize", "status"] }],
  ["v1", "Node", "nodes", "Cluster", { short: ["no"], sub: ["status"] }],
  ["v1", "PersistentVolumeClaim", "persistentvolumeclaims", "Namespaced", { short: ["pvc"], sub: ["status"] }],
  ["v1", "PersistentVolume", "persistentvolumes", "Cluster", { short: ["pv"], sub: ["status"] }],
  [
    "v1",
    "Pod",
    "pods",
    "Namespaced",
    {
      short: ["po"],
      categories: all,
      sub: ["attach", "binding", "ephemeralcontainers", "eviction", "exec", "log", "portforward", "podProxy", "status"],
    },
  ],
  ["v1", "PodTemplate", "podtemplates", "Namespaced"],
  [
    "v1",
    "ReplicationController",
    "replicationcontrollers",
    "Namespaced",
    { short: ["rc"], categories: all, sub: ["scale", "status"] },
  ],
  ["v1", "ResourceQuota", "resourcequotas", "Namespaced", { short: ["quota"], sub: ["status"] }],
  ["v1", "Secret", "secrets", "Namespaced"],
  ["v1", "ServiceAccount", "serviceaccounts", "Namespaced", { short: ["sa"], sub: ["token"] }],
  ["v1", "Service", "services", "Namespaced", { short: ["svc"], categories: all, sub: ["serviceProxy", "status"] }],
  ["apps/v1", "ControllerRevision", "controllerrevisions", "Namespaced"],
  ["apps/v1", "DaemonSet", "daemonsets", "Namespaced", { short: ["ds"], categories: all, sub: ["status"] }],
  [
    "apps/v1",
    "Deployment",
    "deployments",
    "Namespaced",
    { short: ["deploy"], categories: all, sub: ["scale", "status"] },
  ],
  ["apps/v1", "ReplicaSet", "replicasets", "Namespaced", { short: ["rs"], categories: all, sub: ["scale", "status"] }],
  [
    "apps/v1",
    "StatefulSet",
    "statefulsets",
    "Namespaced",
    { short: ["sts"], categories: all, sub: ["scale", "status"] },
  ],
  ["batch/v1", "CronJob", "cronjobs", "Namespaced", { short: ["cj"], categories: all, sub: ["status"] }],
  ["batch/v1", "Job", "jobs", "Namespaced", { categories: all, sub: ["status"] }],
  [
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
    "horizontalpodautoscalers",
    "Namespaced",
    { short: ["hpa"], categories: all, sub: ["status"] },
  ],
  [
    "autoscaling/v1",
    "HorizontalPodAutoscaler",
    "horizontalpodautoscalers",
    "Namespaced",
    { short: ["hpa"], categories: all, sub: ["status"] },
  ],
  ["policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", "Namespaced", { short: ["pdb"], sub: ["status"] }],
  [rbac, "ClusterRoleBinding", "clusterrolebindings", "Cluster"],
  [rbac, "ClusterRole", "clusterroles", "Cluster"],
  [rbac, "RoleBinding", "rolebindings", "Namespaced"],
  [rbac, "Role", "roles", "Namespaced"],
  ["coordination.k8s.io/v1", "Lease", "leases", "Namespaced"],
  ["events.k8s.io/v1", "Event", "events", "Namespaced", { short: ["ev"] }],
  ["discovery.k8s.io/v1", "EndpointSlice", "endpointslices", "Namespaced"],
  ["scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", "Cluster", { short: ["pc"] }],
  [storage, "CSIDriver", "csidrivers", "Cluster"],
  [storage, "CSINode", "csinodes", "Cluster"],
  [storage, "StorageClass", "storageclasses", "Cluster", { short: ["sc"] }],
  [storage, "VolumeAttachment", "volumeattachments", "Cluster", { sub: ["status"] }],
  [networking, "IngressClass", "ingressclasses", "Cluster"],
  [networking, "Ingress", "ingresses", "Namespaced", { short: ["ing"], sub: ["status"] }],
  [networking, "NetworkPolicy", "networkpolicies", "Namespaced", { short: ["netpol"] }],
  ["authentication.k8s.io/v1", "SelfSubjectReview", "selfsubjectreviews", "Cluster", review],
  ["authentication.k8s.io/v1", "TokenReview", "tokenreviews", "Cluster", review],
  [authorization, "LocalSubjectAccessReview", "localsubjectaccessreviews", "Namespaced", review],
  [authorization, "SelfSubjectAccessReview", "selfsubjectaccessreviews", "Cluster", review],
  [authorization, "SelfSubjectRulesReview", "selfsubjectrulesreviews", "Cluster", review],
  [authorization, "SubjectAccessReview", "subjectaccessreviews", "Cluster", review],
  [
    admission,
    "MutatingWebhookConfiguration",
    "mutatingwebhookconfigurations",
    "Cluster",
    { categories: ["api-extensions"] },
  ],
  [
    admission,
    "ValidatingWebhookConfiguration",
    "validatingwebhookconfigurations",
    "Cluster",
    { categories: ["api-extensions"] },
  ],
  [
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    "Cluster",
    { short: ["crd", "crds"], categories: ["api-extensions"], sub: ["status"] },
  ],
];

/** Kinds that are stored as another version of them has them. */
const conversions: Readonly<Record<string, ResourceType["conversion"]>> = {
  "events.k8s.io/v1": eventConversion,
  "autoscaling/v1": autoscalerConversion,
};

function typeOf([groupVersion, kind, plural, scope, more = {}]: Row, answers: Answers): ResourceType {
  const slash = groupVersion.indexOf("/");
  const group = slash < 0 ? "" : groupVersion.slice(0, slash);
  const version = groupVersion.slice(slash + 1);
  const shared = group === "events.k8s.io" ? { group: "", plural } : { group, plural };
  const conversion = conversions[groupVersion];
  const schema = builtinSchema({ group, version, kind });
  return {
    ...(schema ? { schema } : {}),
    group,
    version,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: more.short ?? [],
    categories: more.categories ?? [],
    namespaced: scope === "Namespaced",
    verbs: more.verbs ?? everyVerb,
    storageKey: storageKeyOf(shared),
    priority: conversion ? 0 : 1,
    subresources: Object.fromEntries((more.sub ?? []).map((name) => subresourceOf(name, kind))),
    ...(conversion ? { conversion } : {}),
    strategy: strategyOf(storageKeyOf({ group, plural }), answers),
  };
}

function subresourceOf(name: keyof typeof subresources, kind: string): [string, Subresource] {
  const subresource = subresources[name];
  const shownName = name === "podProxy" || name === "serviceProxy" ? "proxy" : name;
  return [shownName, subresource.kind === "" ? { ...subresource, kind } : subresource];
}

function strategyOf(resource: string, answers: Answers): Strategy {
  const answer = answers[resource];
  const columns = builtinColumns[resource];
  return answer ? { answer } : { ...builtinStrategies[resource], ...(columns ? { columns } : {}) };
}
