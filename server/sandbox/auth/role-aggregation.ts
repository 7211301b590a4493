import { type KubernetesObject } from "@/server/kubernetes/object";
import { asRole, clusterRoleRef, type PolicyRule } from "@/server/sandbox/auth/rbac";
import { type Cluster } from "@/server/sandbox/cluster";
import { equalJson } from "@/server/sandbox/json";
import { StatusError } from "@/server/sandbox/status-error";

const ctx = {
  user: {
    username: "system:serviceaccount:kube-system:clusterrole-aggregation-controller",
    groups: ["system:masters"],
  },
};

/** Keeps the rules of ClusterRoles with an aggregationRule equal to the union of those that it selects. */
export function startRoleAggregation(cluster: Cluster): () => void {
  const aggregate = () => {
    for (const role of cluster.list(clusterRoleRef)) if (asRole(role).aggregationRule) void settle(cluster, role);
  };
  aggregate();
  return cluster.watch(clusterRoleRef, aggregate);
}

async function settle(cluster: Cluster, role: KubernetesObject): Promise<void> {
  const rules = unionFor(cluster, role);
  if (equalJson(asRole(role).rules ?? [], rules)) return;
  try {
    await cluster.change(
      clusterRoleRef,
      { name: role.metadata.name },
      (old) => ({ ...old, rules: unionFor(cluster, old) }),
      ctx,
    );
  } catch (error) {
    // Refused, or gone meanwhile: the next change of a ClusterRole comes by here again.
    if (!(error instanceof StatusError)) throw error;
  }
}

function unionFor(cluster: Cluster, role: KubernetesObject): PolicyRule[] {
  const found: PolicyRule[] = [];
  for (const selector of asRole(role).aggregationRule?.clusterRoleSelectors ?? []) {
    const selected = cluster
      .list(clusterRoleRef, { selector })
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    for (const other of selected) {
      if (other.metadata.name === role.metadata.name) continue;
      for (const rule of asRole(other).rules ?? [])
        if (!found.some((known) => equalJson(known, rule))) found.push(rule);
    }
  }
  return found;
}
