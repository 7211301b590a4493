import { type KubernetesObject } from "@/server/kubernetes/object";
import { type AdmissionPlugin } from "@/server/sandbox/admission-plugin";
import {
  type ExactQuantity,
  exactQuantity,
  minus,
  noQuantity,
  plus,
  quantityText,
} from "@/server/sandbox/admission/exact-quantity";
import { inScope } from "@/server/sandbox/admission/quota-scope";
import { added, containersOf, type Usage, usageOf } from "@/server/sandbox/admission/quota-usage";
import { refusal } from "@/server/sandbox/admission/refusal";
import { type Cluster } from "@/server/sandbox/cluster";
import { equalJson, recordOf, textOf, own } from "@/server/sandbox/json";
import { StatusError } from "@/server/sandbox/status-error";

const quotas = { group: "", plural: "resourcequotas" };
const ctx = { user: { username: "system:kube-controller-manager", groups: ["system:masters"] } };

/** Counts what each quota's namespace uses and refuses what would go over. Runs last: the write follows in the same tick. */
export function resourceQuota(cluster: Cluster): AdmissionPlugin & { stop: () => void } {
  const used = new Map<string, Usage>();
  const keyOf = ({ metadata }: KubernetesObject) => `${metadata.namespace ?? ""}/${metadata.name}`;

  function usedBy(quota: KubernetesObject): Usage {
    const known = used.get(keyOf(quota)) ?? countAll(cluster, quota);
    used.set(keyOf(quota), known);
    return known;
  }

  const stop = cluster.watch("*", ({ storageKey, object, old, type }) => {
    const { namespace } = object.metadata;
    if (namespace === undefined) return;
    if (storageKey === "resourcequotas") {
      // What a quota counts may have changed with it.
      if (!equalJson(old?.spec, object.spec) || type === "DELETED") used.delete(keyOf(object));
    }
    for (const quota of cluster.list(quotas, { namespace })) {
      const before = used.get(keyOf(quota));
      if (before) {
        const removed = old && type !== "ADDED" && inScope(quota, storageKey, old) ? usageOf(storageKey, old) : {};
        const gained = type !== "DELETED" && inScope(quota, storageKey, object) ? usageOf(storageKey, object) : {};
        used.set(keyOf(quota), added(less(before, removed), gained));
      }
      void writeStatus(cluster, quota, usedBy(quota));
    }
  });

  return {
    name: "ResourceQuota",
    stop,
    validate: (attributes) => {
      const { operation, type, subresource, namespace, object, oldObject } = attributes;
      if (
        namespace === undefined ||
        subresource !== undefined ||
        !object ||
        (operation !== "CREATE" && operation !== "UPDATE")
      )
        return;
      for (const quota of cluster.list(quotas, { namespace })) {
        if (!inScope(quota, type.storageKey, object)) continue;
        const hard = hardOf(quota);
        if (operation === "CREATE" && type.storageKey === "pods") checkSpecified(attributes, quota, hard, object);
        const before =
          oldObject && inScope(quota, type.storageKey, oldObject) ? usageOf(type.storageKey, oldObject) : {};
        checkRoom(attributes, quota, hard, less(usageOf(type.storageKey, object), before), usedBy(quota));
      }
    },
  };
}

type Attributes = Parameters<NonNullable<AdmissionPlugin["validate"]>>[0];
type Hard = Record<string, ExactQuantity>;

function hardOf(quota: KubernetesObject): Hard {
  return Object.fromEntries(
    Object.entries(recordOf(quota.spec?.["hard"])).map(([name, value]) => [name, exactQuantity(value)]),
  );
}

function less(a: Usage, b: Usage): Usage {
  const rest = { ...a };
  for (const [name, amount] of Object.entries(b)) rest[name] = minus(own(rest, name) ?? noQuantity, amount);
  return rest;
}

function countAll(cluster: Cluster, quota: KubernetesObject): Usage {
  const { namespace } = quota.metadata;
  return cluster.store.storageKeys().reduce<Usage>((sum, storageKey) => {
    for (const object of cluster.store.all(storageKey, namespace)) {
      if (object.metadata.namespace === namespace && inScope(quota, storageKey, object))
        sum = added(sum, usageOf(storageKey, object));
    }
    return sum;
  }, {});
}

const computed = /^(?:(?:requests|limits)\.)?(?:cpu|memory)$/;

/** A quota on compute asks every container to say how much it wants. */
function checkSpecified(attributes: Attributes, quota: KubernetesObject, hard: Hard, pod: KubernetesObject): void {
  const missing = Object.keys(hard)
    .filter((name) => computed.test(name))
    .sort()
    .flatMap((name) => {
      const without = containersOf(pod)
        .filter((container) => !says(container, name))
        .map((container) => textOf(container["name"]));
      return without.length > 0 ? [`${name} for: ${without.sort().join(",")}`] : [];
    });
  if (missing.length > 0)
    throw refusal(attributes, `failed quota: ${quota.metadata.name}: must specify ${missing.join("; ")}`);
}

function says(container: Record<string, unknown>, name: string): boolean {
  const resources = recordOf(container["resources"]);
  const limits = recordOf(resources["limits"]);
  const bare = name.replace(/^(requests|limits)\./, "");
  if (name.startsWith("limits.")) return limits[bare] !== undefined;
  return recordOf(resources["requests"])[bare] !== undefined || limits[bare] !== undefined;
}

function checkRoom(attributes: Attributes, quota: KubernetesObject, hard: Hard, wanted: Usage, used: Usage): void {
  const names = Object.keys(hard)
    .filter((name) => (own(wanted, name) ?? noQuantity).nano > 0n)
    .sort();
  const over = names.filter(
    (name) =>
      plus(own(used, name) ?? noQuantity, own(wanted, name) ?? noQuantity).nano > (own(hard, name) ?? noQuantity).nano,
  );
  if (over.length === 0) return;
  const list = (of: Usage) => over.map((name) => `${name}=${quantityText(own(of, name) ?? noQuantity)}`).join(",");
  throw refusal(
    attributes,
    `exceeded quota: ${quota.metadata.name}, requested: ${list(wanted)}, used: ${list(used)}, limited: ${list(hard)}`,
  );
}

async function writeStatus(cluster: Cluster, quota: KubernetesObject, usage: Usage): Promise<void> {
  const hard = recordOf(quota.spec?.["hard"]);
  const used = Object.fromEntries(
    Object.keys(hard).map((name) => [name, quantityText(own(usage, name) ?? noQuantity)]),
  );
  if (equalJson(quota.status, { hard, used })) return;
  const { namespace, name } = quota.metadata;
  try {
    await cluster.change(
      quotas,
      { namespace, name },
      (old) => ({ ...old, status: { hard: recordOf(old.spec?.["hard"]), used } }),
      ctx,
      { subresource: "status" },
    );
  } catch (error) {
    // Refused, or gone meanwhile: the next change in the namespace comes by here again.
    if (!(error instanceof StatusError)) throw error;
  }
}
