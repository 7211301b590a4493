import { type Cluster } from "@/server/sandbox/cluster";

/** In the words of RBAC, the one that may do everything. */
export const systemUser = { username: "system:apiserver", groups: ["system:masters"] };

/** What every fresh cluster holds. What is there already stays as it is. */
export async function seedCluster(cluster: Cluster) {
  for (const name of ["default", "kube-system", "kube-public", "kube-node-lease"]) {
    if (cluster.get({ group: "", plural: "namespaces" }, undefined, name)) continue;
    await cluster.create(
      { group: "", plural: "namespaces" },
      { apiVersion: "v1", kind: "Namespace", metadata: { name } },
      { user: systemUser },
    );
  }
}
