import { type AdmissionPlugin } from "@/server/sandbox/admission-plugin";
import { refusal } from "@/server/sandbox/admission/refusal";
import { type Cluster } from "@/server/sandbox/cluster";
import { notFoundError, StatusError } from "@/server/sandbox/status-error";

const namespaces = { group: "", plural: "namespaces" };
const immortal = new Set(["default", "kube-system", "kube-public"]);
/** Asking about a namespace that is on its way out is no new content. */
const reviews = new Set(["localsubjectaccessreviews.authorization.k8s.io"]);

/** Nothing new in a namespace that is missing or on its way out; the namespaces that everything needs stay. */
export function namespaceLifecycle(cluster: Cluster): AdmissionPlugin {
  const check: AdmissionPlugin["validate"] = (attributes) => {
    const { operation, type, subresource, namespace, name } = attributes;
    if (operation === "DELETE" && type.storageKey === "namespaces" && immortal.has(name)) {
      throw refusal(attributes, "this namespace may not be deleted");
    }
    if (operation !== "CREATE" || namespace === undefined || subresource !== undefined || reviews.has(type.storageKey))
      return;
    const found = cluster.get(namespaces, undefined, namespace);
    if (!found) throw notFoundError(namespaces, namespace);
    if (!found.metadata.deletionTimestamp) return;
    const { code, reason, message, details } = refusal(
      attributes,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
    );
    const cause = {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    };
    throw new StatusError(code, reason, message, { ...details, causes: [cause] });
  };
  // First of all, before anything else looks at the object; again at the end, because webhooks take time.
  return { name: "NamespaceLifecycle", mutate: check, validate: check };
}
