import { apis } from "@/server/kubernetes/apis";
import { type Kept, splitKey } from "@/server/sandbox/objects/meta";
import { type Controller, type ControllerContext, watchItself } from "./controller";
import { codeOf } from "./shelves";

type Namespace = Kept & { status?: { phase?: string } };

/** Every namespace has the ServiceAccount `default`, also after somebody deleted it. */
export function serviceAccountController({ shelves }: ControllerContext): Controller {
  const namespaces = shelves.of<Namespace>(apis.namespace);
  const accounts = shelves.of<Kept>(apis.serviceAccount);
  return {
    watches: [watchItself(apis.namespace), ofNamespace(apis.serviceAccount, "default")],
    reconcile: async (key) => {
      const { name } = splitKey(key);
      if (!isLive(namespaces.get("", name)) || accounts.get(name, "default")) return undefined;
      await ensured(
        accounts.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: name } }),
      );
      return undefined;
    },
  };
}

const ROOT_CA = "kube-root-ca.crt";
type ConfigMap = Kept & { data?: Record<string, string> };

/** Every namespace has the certificate of the API server's authority in a ConfigMap, unchanged. */
export function rootCertificateController(certificate: string): (context: ControllerContext) => Controller {
  return ({ shelves }) => {
    const namespaces = shelves.of<Namespace>(apis.namespace);
    const configMaps = shelves.of<ConfigMap>(apis.configMap);
    return {
      watches: [watchItself(apis.namespace), ofNamespace(apis.configMap, ROOT_CA)],
      reconcile: async (key) => {
        const { name } = splitKey(key);
        if (!isLive(namespaces.get("", name))) return undefined;
        const existing = configMaps.get(name, ROOT_CA);
        const data = { "ca.crt": certificate };
        if (!existing)
          await ensured(
            configMaps.create({
              apiVersion: "v1",
              kind: "ConfigMap",
              metadata: { name: ROOT_CA, namespace: name },
              data,
            }),
          );
        else if (existing.data?.["ca.crt"] !== certificate) await configMaps.update({ ...existing, data });
        return undefined;
      },
    };
  };
}

function ofNamespace(api: typeof apis.configMap, name: string): Controller["watches"][number] {
  return {
    api,
    keysOf: ({ object }) => (object.metadata.name === name ? [`/${object.metadata.namespace ?? ""}`] : []),
  };
}

function isLive(namespace: Namespace | undefined): boolean {
  return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
}

/** Somebody else may have been quicker, and the namespace may be on its way out. */
async function ensured(creation: Promise<unknown>) {
  try {
    await creation;
  } catch (error) {
    if (![403, 404, 409].includes(codeOf(error) ?? 0)) throw error;
  }
}
