import { type Connection } from "@/server/kubernetes/connection";
import { systemClock } from "@/server/kubernetes/clock";
import { createFreshFile } from "@/server/kubernetes/fresh-file";

/** Where every pod finds its ServiceAccount. */
const ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The connection of a pod: ServiceAccount token and CA are read again when the kubelet renews them. */
export async function inClusterConnection(
  env: Readonly<Record<string, string | undefined>> = process.env,
  folder = ACCOUNT_FOLDER,
): Promise<Connection> {
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  if (!host || !port) {
    throw new Error("This is no pod of a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set.");
  }
  const token = createFreshFile(`${folder}/token`, systemClock);
  const ca = createFreshFile(`${folder}/ca.crt`, systemClock);
  await Promise.all([token.read(), ca.read()]).catch((error: unknown) => {
    throw new Error(`The pod's ServiceAccount cannot be read in ${folder}; is automountServiceAccountToken off?`, {
      cause: error,
    });
  });
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    credentials: async () => {
      const [bearer, authority] = await Promise.all([token.read(), ca.read()]);
      return {
        headers: { authorization: `Bearer ${bearer.text.trim()}` },
        tls: { ca: authority.text },
        version: `ca ${authority.version}`,
      };
    },
    forget: () => {
      token.forget();
      ca.forget();
    },
  };
}
