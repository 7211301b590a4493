import { type KubernetesObject } from "@/server/kubernetes/object";
import { count, type ExactQuantity, exactQuantity, noQuantity, plus } from "@/server/sandbox/admission/exact-quantity";
import { isRecord, listOf, recordOf, textOf, own } from "@/server/sandbox/json";

/** How much of each resource that a quota can limit. */
export type Usage = Record<string, ExactQuantity>;

/** What one object uses up. Everything counts as `count/<resource>`; a few kinds use more than that. */
export function usageOf(storageKey: string, object: KubernetesObject): Usage {
  const counted = { [`count/${storageKey}`]: count(1) };
  return { ...counted, ...usageByKind[storageKey]?.(object) };
}

const one = (name: string) => () => ({ [name]: count(1) });

const usageByKind: Record<string, (object: KubernetesObject) => Usage> = {
  pods: podUsage,
  persistentvolumeclaims: claimUsage,
  services: serviceUsage,
  configmaps: one("configmaps"),
  secrets: one("secrets"),
  replicationcontrollers: one("replicationcontrollers"),
  resourcequotas: one("resourcequotas"),
};

export function isOver(pod: KubernetesObject): boolean {
  const phase = pod.status?.["phase"];
  return phase === "Succeeded" || phase === "Failed";
}

function podUsage(pod: KubernetesObject): Usage {
  if (isOver(pod)) return {};
  const { requests, limits } = podResources(pod);
  const usage: Usage = { pods: count(1) };
  for (const [name, amount] of Object.entries(requests)) {
    usage[`requests.${name}`] = amount;
    if (plain.has(name)) usage[name] = amount;
  }
  for (const [name, amount] of Object.entries(limits)) usage[`limits.${name}`] = amount;
  return usage;
}

const plain = new Set(["cpu", "memory", "ephemeral-storage"]);

/** Containers run together, init containers one by one before them: the larger need counts. */
function podResources(pod: KubernetesObject): { requests: Usage; limits: Usage } {
  const of = (key: "requests" | "limits") => {
    const total = containersOf(pod).reduce<Usage>((sum, container) => added(sum, amountsOf(container, key)), {});
    for (const container of listOf(pod.spec?.["initContainers"]).filter(isRecord)) {
      for (const [name, amount] of Object.entries(amountsOf(container, key))) {
        if (amount.nano > (own(total, name) ?? noQuantity).nano) total[name] = amount;
      }
    }
    return total;
  };
  return { requests: of("requests"), limits: of("limits") };
}

export function containersOf(pod: KubernetesObject): Record<string, unknown>[] {
  return listOf(pod.spec?.["containers"]).filter(isRecord);
}

function amountsOf(container: Record<string, unknown>, key: "requests" | "limits"): Usage {
  const resources = recordOf(container["resources"]);
  // A limit is also the request where none is given.
  const given =
    key === "requests"
      ? { ...recordOf(resources["limits"]), ...recordOf(resources["requests"]) }
      : recordOf(resources["limits"]);
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, exactQuantity(value)]));
}

export function added(a: Usage, b: Usage): Usage {
  const sum = { ...a };
  for (const [name, amount] of Object.entries(b)) sum[name] = plus(own(sum, name) ?? noQuantity, amount);
  return sum;
}

function claimUsage(claim: KubernetesObject): Usage {
  const asked = exactQuantity(recordOf(recordOf(claim.spec?.["resources"])["requests"])["storage"] ?? 0);
  const usage: Usage = { persistentvolumeclaims: count(1), "requests.storage": asked };
  const storageClass = textOf(claim.spec?.["storageClassName"]);
  if (storageClass === "") return usage;
  const prefix = `${storageClass}.storageclass.storage.k8s.io`;
  return { ...usage, [`${prefix}/requests.storage`]: asked, [`${prefix}/persistentvolumeclaims`]: count(1) };
}

function serviceUsage(service: KubernetesObject): Usage {
  const type = textOf(service.spec?.["type"]);
  const ports = listOf(service.spec?.["ports"]).length;
  const usage: Usage = { services: count(1) };
  if (type === "LoadBalancer") usage["services.loadbalancers"] = count(1);
  if (type === "NodePort" || type === "LoadBalancer") usage["services.nodeports"] = count(ports);
  return usage;
}
