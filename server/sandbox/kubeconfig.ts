/** A kubeconfig for kubectl, with one cluster, one user and one context of the same name. */
export function kubeconfigOf({ server, token, cert }: { server: string; token: string; cert: string }): string {
  const name = "orrery-sandbox";
  return `${JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      "current-context": name,
      clusters: [{ name, cluster: { server, "certificate-authority-data": Buffer.from(cert).toString("base64") } }],
      users: [{ name, user: { token } }],
      contexts: [{ name, context: { cluster: name, user: name, namespace: "default" } }],
    },
    null,
    2,
  )}\n`;
}
