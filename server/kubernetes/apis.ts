import { type Api } from "@/server/kubernetes/object";

/** The built-in kinds that we read or write. */
export const apis = {
  namespace: clusterWide("", "v1", "namespaces", "Namespace"),
  node: clusterWide("", "v1", "nodes", "Node"),
  pod: namespaced("", "v1", "pods", "Pod"),
  service: namespaced("", "v1", "services", "Service"),
  endpoints: namespaced("", "v1", "endpoints", "Endpoints"),
  configMap: namespaced("", "v1", "configmaps", "ConfigMap"),
  secret: namespaced("", "v1", "secrets", "Secret"),
  event: namespaced("", "v1", "events", "Event"),
  serviceAccount: namespaced("", "v1", "serviceaccounts", "ServiceAccount"),
  persistentVolumeClaim: namespaced("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"),
  persistentVolume: clusterWide("", "v1", "persistentvolumes", "PersistentVolume"),
  resourceQuota: namespaced("", "v1", "resourcequotas", "ResourceQuota"),
  statefulSet: namespaced("apps", "v1", "statefulsets", "StatefulSet"),
  deployment: namespaced("apps", "v1", "deployments", "Deployment"),
  replicaSet: namespaced("apps", "v1", "replicasets", "ReplicaSet"),
  daemonSet: namespaced("apps", "v1", "daemonsets", "DaemonSet"),
  job: namespaced("batch", "v1", "jobs", "Job"),
  lease: namespaced("coordination.k8s.io", "v1", "leases", "Lease"),
  networkPolicy: namespaced("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy"),
  ingress: namespaced("networking.k8s.io", "v1", "ingresses", "Ingress"),
  role: namespaced("rbac.authorization.k8s.io", "v1", "roles", "Role"),
  roleBinding: namespaced("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding"),
  clusterRole: clusterWide("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole"),
  clusterRoleBinding: clusterWide("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding"),
  storageClass: clusterWide("storage.k8s.io", "v1", "storageclasses", "StorageClass"),
  customResourceDefinition: clusterWide(
    "apiextensions.k8s.io",
    "v1",
    "customresourcedefinitions",
    "CustomResourceDefinition",
  ),
  tokenReview: clusterWide("authentication.k8s.io", "v1", "tokenreviews", "TokenReview"),
  subjectAccessReview: clusterWide("authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview"),
} as const satisfies Record<string, Api>;

function namespaced(group: string, version: string, plural: string, kind: string): Api {
  return { group, version, plural, kind, namespaced: true };
}

function clusterWide(group: string, version: string, plural: string, kind: string): Api {
  return { group, version, plural, kind, namespaced: false };
}
