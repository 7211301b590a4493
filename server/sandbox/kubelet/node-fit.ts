import { meets, selects } from "@/server/sandbox/objects/label-selector";
import { type Node, type Taint } from "@/server/sandbox/objects/node";
import { isFinished, type Pod, type PodAffinityTerm, type Toleration } from "@/server/sandbox/objects/pod";
import { quantityOf } from "@/server/sandbox/objects/quantity";

/** The nodes and where pods are already. */
export type Landscape = { nodes: readonly Node[]; placed: readonly Pod[] };

/** Why the node is not for the pod, in the scheduler's words; empty when it is. */
export function misfitsOf(pod: Pod, node: Node, landscape: Landscape): string[] {
  const here = landscape.placed.filter((other) => other.spec.nodeName === node.metadata.name && !isFinished(other));
  if (
    node.spec.unschedulable &&
    !tolerates(pod.spec.tolerations, { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" })
  )
    return ["node(s) were unschedulable"];
  const taint = (node.spec.taints ?? []).find(
    (candidate) => candidate.effect !== "PreferNoSchedule" && !tolerates(pod.spec.tolerations, candidate),
  );
  if (taint) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`];
  if (!matchesNode(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  const ports = new Set(here.flatMap(hostPorts));
  if (hostPorts(pod).some((port) => ports.has(port)))
    return ["node(s) didn't have free ports for the requested pod ports"];
  const short = shortages(pod, node, here);
  if (short.length > 0) return short;
  return affinityMisfits(pod, node, landscape);
}

function hostPorts(pod: Pod): number[] {
  return pod.spec.containers.flatMap(({ ports }) =>
    (ports ?? []).flatMap(({ hostPort }) => (hostPort ? [hostPort] : [])),
  );
}

function tolerates(
  tolerations: readonly Toleration[] | undefined,
  taint: Pick<Taint, "key" | "value" | "effect">,
): boolean {
  return (tolerations ?? []).some(
    ({ key, operator, value, effect }) =>
      (!effect || effect === taint.effect) &&
      (!key || key === taint.key) &&
      (operator === "Exists" || (key !== undefined && (value ?? "") === (taint.value ?? ""))),
  );
}

function matchesNode(pod: Pod, node: Node): boolean {
  const { labels } = node.metadata;
  const selected = Object.entries(pod.spec.nodeSelector ?? {}).every(([key, value]) => labels?.[key] === value);
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const byTerm = terms?.some(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchExpressions.length + matchFields.length > 0 &&
      matchExpressions.every((requirement) => meets(requirement, labels)) &&
      matchFields.every((requirement) => meets(requirement, { "metadata.name": node.metadata.name })),
  );
  return selected && (byTerm ?? true);
}

/** What the pod asks for: its containers together, or its largest init container. */
export function requestsOf({ spec }: Pod): Record<string, number> {
  const total: Record<string, number> = {};
  for (const { resources } of spec.containers) {
    for (const [name, amount] of Object.entries({ ...resources?.limits, ...resources?.requests }))
      total[name] = (total[name] ?? 0) + quantityOf(amount);
  }
  for (const { resources } of spec.initContainers ?? []) {
    for (const [name, amount] of Object.entries(resources?.requests ?? {}))
      total[name] = Math.max(total[name] ?? 0, quantityOf(amount));
  }
  for (const [name, amount] of Object.entries(spec.overhead ?? {}))
    total[name] = (total[name] ?? 0) + quantityOf(amount);
  return total;
}

function shortages(pod: Pod, node: Node, here: readonly Pod[]): string[] {
  const allocatable = node.status?.allocatable ?? {};
  const misfits = here.length + 1 > quantityOf(allocatable.pods ?? "110") ? ["Too many pods"] : [];
  const used = here.map(requestsOf);
  for (const [name, amount] of Object.entries(requestsOf(pod))) {
    const taken = used.reduce((sum, requests) => sum + (requests[name] ?? 0), 0);
    if (amount > 0 && taken + amount > quantityOf(allocatable[name])) misfits.push(`Insufficient ${name}`);
  }
  return misfits;
}

function affinityMisfits(pod: Pod, node: Node, { nodes, placed }: Landscape): string[] {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const domainHas = (term: PodAffinityTerm, owner: Pod, candidates: readonly Pod[]) => {
    const domain = node.metadata.labels?.[term.topologyKey];
    const inDomain = new Set(
      nodes
        .filter(({ metadata }) => domain !== undefined && metadata.labels?.[term.topologyKey] === domain)
        .map(({ metadata }) => metadata.name),
    );
    const namespaces = term.namespaces?.length ? term.namespaces : [owner.metadata.namespace];
    return candidates.some(
      (other) =>
        inDomain.has(other.spec.nodeName ?? "") &&
        namespaces.includes(other.metadata.namespace) &&
        selects(term.labelSelector, other.metadata.labels),
    );
  };
  const wanted = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const first = (term: PodAffinityTerm) =>
    selects(term.labelSelector, pod.metadata.labels) &&
    !placed.some((other) => selects(term.labelSelector, other.metadata.labels));
  if (!wanted.every((term) => domainHas(term, pod, placed) || first(term)))
    return ["node(s) didn't match pod affinity rules"];
  const unwanted = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (unwanted.some((term) => domainHas(term, pod, placed))) return ["node(s) didn't match pod anti-affinity rules"];
  const refused = placed.some((other) =>
    (other.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(
      (term) =>
        selects(term.labelSelector, pod.metadata.labels) &&
        (term.namespaces ?? [other.metadata.namespace]).includes(pod.metadata.namespace) &&
        domainHas(term, other, [other]),
    ),
  );
  return refused ? ["node(s) didn't satisfy existing pods anti-affinity rules"] : [];
}

/** `0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.` */
export function unschedulableMessage(misfits: readonly string[][]): string {
  if (misfits.length === 0) return "no nodes available to schedule pods";
  const counts = new Map<string, number>();
  for (const reason of misfits.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${misfits.length} nodes are available: ${reasons.join(", ")}.`;
}
