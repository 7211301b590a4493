/** Orders the versions of a group as Kubernetes does: v2 before v1 before v1beta2 before v1beta1 before v1alpha1 before others. */
export function versionPriority(version: string): number {
  const found = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!found) return 0;
  const [, major, stage, minor] = found;
  return (rank[stage ?? "stable"] ?? 0) * 1_000_000 + Number(major) * 1_000 + Number(minor ?? 0);
}

const rank: Record<string, number> = { stable: 3, beta: 2, alpha: 1 };
