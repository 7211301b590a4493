import { randomBytes } from "node:crypto";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type AdmissionPlugin } from "@/server/sandbox/admission-plugin";
import { refusal } from "@/server/sandbox/admission/refusal";
import { type Cluster } from "@/server/sandbox/cluster";
import { isRecord, listOf, recordOf, textOf } from "@/server/sandbox/json";

const serviceAccounts = { group: "", plural: "serviceaccounts" };
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Pods run as a ServiceAccount that exists, with its pull secrets and a token to reach the API. */
export function serviceAccountAdmission(cluster: Cluster): AdmissionPlugin {
  return {
    name: "ServiceAccount",
    mutate: (attributes) => {
      const { operation, type, subresource, namespace = "", object } = attributes;
      if (operation !== "CREATE" || type.storageKey !== "pods" || subresource !== undefined || !object) return;
      if (object.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined) return;
      const spec = (object.spec ??= {});
      const name = textOf(spec["serviceAccountName"]) || textOf(spec["serviceAccount"]) || "default";
      spec["serviceAccountName"] = name;
      spec["serviceAccount"] = name;
      const account = cluster.get(serviceAccounts, namespace, name);
      if (!account)
        throw refusal(
          attributes,
          `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
        );
      if (listOf(spec["imagePullSecrets"]).length === 0 && listOf(account["imagePullSecrets"]).length > 0) {
        spec["imagePullSecrets"] = listOf(account["imagePullSecrets"]).map((ref) => ({ ...recordOf(ref) }));
      }
      if (mountsToken(spec, account)) mountToken(spec);
    },
  };
}

function mountsToken(spec: Record<string, unknown>, account: KubernetesObject): boolean {
  return (spec["automountServiceAccountToken"] ?? account["automountServiceAccountToken"] ?? true) === true;
}

function mountToken(spec: Record<string, unknown>): void {
  const containers = [...listOf(spec["containers"]), ...listOf(spec["initContainers"])].filter(isRecord);
  const without = containers.filter(
    (container) => !listOf(container["volumeMounts"]).some((mount) => recordOf(mount)["mountPath"] === mountPath),
  );
  if (without.length === 0) return;
  const volumes = listOf(spec["volumes"]);
  const known = volumes
    .map((volume) => textOf(recordOf(volume)["name"]))
    .find((name) => name.startsWith("kube-api-access-"));
  const name = known ?? `kube-api-access-${suffix()}`;
  for (const container of without)
    container["volumeMounts"] = [...listOf(container["volumeMounts"]), { name, readOnly: true, mountPath }];
  if (!known) spec["volumes"] = [...volumes, { name, projected: tokenSources }];
}

const tokenSources = {
  defaultMode: 420,
  sources: [
    { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    {
      downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] },
    },
  ],
};

const letters = "bcdfghjklmnpqrstvwxz2456789";

function suffix(): string {
  return [...randomBytes(5)].map((byte) => letters[byte % letters.length]).join("");
}
