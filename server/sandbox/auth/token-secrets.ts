import { type KubernetesObject } from "@/server/kubernetes/object";
import { claimsFor } from "@/server/sandbox/auth/token-request";
import { issuer, type Tokens } from "@/server/sandbox/auth/tokens";
import { type Cluster } from "@/server/sandbox/cluster";
import { StatusError } from "@/server/sandbox/status-error";

const secrets = { group: "", plural: "secrets" };
const serviceAccounts = { group: "", plural: "serviceaccounts" };
const ctx = { user: { username: "system:kube-controller-manager", groups: ["system:masters"] } };
const accountName = "kubernetes.io/service-account.name";
const accountUid = "kubernetes.io/service-account.uid";

/** Fills Secrets of type kubernetes.io/service-account-token with a token that does not end, and removes them with their account. */
export function startTokenSecrets(cluster: Cluster, tokens: Tokens, caBundle: () => string): () => void {
  const consider = (secret: KubernetesObject) => {
    if (secret["type"] !== "kubernetes.io/service-account-token") return;
    void ignoringRefusals(() => fill(cluster, tokens, secret, caBundle));
  };
  const stops = [
    cluster.watch(secrets, ({ type, object }) => (type === "DELETED" ? undefined : consider(object))),
    cluster.watch(serviceAccounts, ({ object }) =>
      cluster.list(secrets, { namespace: object.metadata.namespace ?? "" }).forEach(consider),
    ),
  ];
  return () => stops.forEach((stop) => stop());
}

async function fill(cluster: Cluster, tokens: Tokens, secret: KubernetesObject, caBundle: () => string): Promise<void> {
  const { name, namespace = "", annotations = {}, uid = "" } = secret.metadata;
  const account = cluster.get(serviceAccounts, namespace, annotations[accountName] ?? "");
  const isOther = account && annotations[accountUid] !== undefined && annotations[accountUid] !== account.metadata.uid;
  if (!account || isOther) {
    await cluster.delete(secrets, namespace, name, { uid }, ctx);
    return;
  }
  const data = secret["data"] as Record<string, string> | undefined; // The strategy of secrets allows nothing else.
  if (data?.["token"]) return;
  const now = Math.floor(cluster.clock.now() / 1000);
  const token = tokens.sign(claimsFor(account, { aud: [issuer], iat: now, nbf: now }, { secret: { name, uid } }));
  const encoded = { token: base64(token), namespace: base64(namespace), "ca.crt": base64(caBundle()) };
  await cluster.change(
    secrets,
    { namespace, name },
    (old) => ({
      ...old,
      metadata: {
        ...old.metadata,
        annotations: { ...old.metadata.annotations, [accountUid]: account.metadata.uid ?? "" },
      },
      data: { ...encoded, ...(old["data"] as Record<string, string> | undefined) }, // As above.
    }),
    ctx,
  );
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** What the cluster refuses is tried again with the next change of the Secret or the account. */
async function ignoringRefusals(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}
