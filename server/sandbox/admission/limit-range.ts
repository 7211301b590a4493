import { type KubernetesObject } from "@/server/kubernetes/object";
import { type AdmissionPlugin } from "@/server/sandbox/admission-plugin";
import { type ExactQuantity, exactQuantity, plus, quantityText } from "@/server/sandbox/admission/exact-quantity";
import { refusal, together } from "@/server/sandbox/admission/refusal";
import { type Cluster } from "@/server/sandbox/cluster";
import { isRecord, listOf, recordOf, textOf } from "@/server/sandbox/json";
import { type Strategy } from "@/server/sandbox/type-registry";

const limitRanges = { group: "", plural: "limitranges" };

type Amounts = Readonly<Record<string, unknown>>;
type Limit = {
  type: string;
  min: Amounts;
  max: Amounts;
  default: Amounts;
  defaultRequest: Amounts;
  maxLimitRequestRatio: Amounts;
};

/** A LimitRange says what it implies: a maximum is also the default, and a default is also what is requested. */
export const limitRangeStrategy: Strategy = {
  normalize: (range) => {
    for (const item of listOf(range.spec?.["limits"]).filter(isRecord)) {
      if (item["type"] !== "Container") continue;
      const limits = { ...recordOf(item["max"]), ...recordOf(item["default"]) };
      const requests = { ...recordOf(item["min"]), ...limits, ...recordOf(item["defaultRequest"]) };
      if (Object.keys(limits).length > 0) item["default"] = limits;
      if (Object.keys(requests).length > 0) item["defaultRequest"] = requests;
    }
  },
};

/** Containers get the defaults of their namespace's LimitRanges; what is out of bounds is refused. */
export function limitRanger(cluster: Cluster): AdmissionPlugin {
  const limitsIn = (namespace: string | undefined): Limit[] =>
    namespace === undefined
      ? []
      : cluster
          .list(limitRanges, { namespace })
          .flatMap((range) => listOf(range.spec?.["limits"]).map((item) => limitOf(recordOf(item))));
  return {
    name: "LimitRanger",
    mutate: ({ operation, type, subresource, namespace, object }) => {
      if (operation !== "CREATE" || type.storageKey !== "pods" || subresource !== undefined || !object) return;
      for (const limit of limitsIn(namespace)) if (limit.type === "Container") fillContainers(object, limit);
    },
    validate: (attributes) => {
      const { operation, type, subresource, namespace, object } = attributes;
      const usages = usagesByKind[type.storageKey];
      if (!usages || subresource !== undefined || !object || (operation !== "CREATE" && operation !== "UPDATE")) return;
      if (operation === "UPDATE" && type.storageKey === "pods") return;
      const problems = limitsIn(namespace).flatMap((limit) =>
        usages(object, limit.type).flatMap((usage) => problemsOf(limit, usage)),
      );
      if (problems.length > 0) throw refusal(attributes, together(problems));
    },
  };
}

function limitOf(item: Amounts): Limit {
  const amounts = (key: string) => recordOf(item[key]);
  return {
    type: textOf(item["type"]),
    min: amounts("min"),
    max: amounts("max"),
    default: amounts("default"),
    defaultRequest: amounts("defaultRequest"),
    maxLimitRequestRatio: amounts("maxLimitRequestRatio"),
  };
}

function containersOf(pod: KubernetesObject, key: "containers" | "initContainers") {
  return listOf(pod.spec?.[key]).filter(isRecord);
}

function fillContainers(pod: KubernetesObject, limit: Limit): void {
  const notes = (["containers", "initContainers"] as const).flatMap((key) =>
    containersOf(pod, key).flatMap((container) =>
      fillContainer(container, limit, key === "containers" ? "container" : "init container"),
    ),
  );
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    "kubernetes.io/limit-ranger": `LimitRanger plugin set: ${notes.join("; ")}`,
  };
}

function fillContainer(container: Record<string, unknown>, limit: Limit, title: string): string[] {
  const resources = recordOf(container["resources"]);
  const limits = { ...recordOf(resources["limits"]) };
  const requests = { ...recordOf(resources["requests"]) };
  const fill = (into: Record<string, unknown>, from: Amounts, skip: (name: string) => boolean) => {
    const missing = Object.keys(from).filter((name) => into[name] === undefined && !skip(name));
    for (const name of missing) into[name] = from[name];
    return missing.sort();
  };
  // A limit that was given is the request where none was; that is the defaulting of pods, before any LimitRange.
  const asked = fill(requests, limit.defaultRequest, () => false);
  const bounded = fill(limits, limit.default, () => false);
  if (asked.length + bounded.length === 0) return [];
  container["resources"] = { ...resources, limits, requests };
  const name = textOf(container["name"]);
  return [
    ...(asked.length > 0 ? [`${asked.join(", ")} request for ${title} ${name}`] : []),
    ...(bounded.length > 0 ? [`${bounded.join(", ")} limit for ${title} ${name}`] : []),
  ];
}

type Usage = { requests: Amounts; limits: Amounts };

const usagesByKind: Record<string, (object: KubernetesObject, type: string) => Usage[]> = {
  pods: (pod, type) => (type === "Container" ? containerUsages(pod) : type === "Pod" ? [podUsage(pod)] : []),
  persistentvolumeclaims: (claim, type) =>
    type === "PersistentVolumeClaim"
      ? [{ requests: recordOf(recordOf(claim.spec?.["resources"])["requests"]), limits: {} }]
      : [],
};

function containerUsages(pod: KubernetesObject): Usage[] {
  return (["containers", "initContainers"] as const).flatMap((key) =>
    containersOf(pod, key).map((container) => {
      const resources = recordOf(container["resources"]);
      return { requests: recordOf(resources["requests"]), limits: recordOf(resources["limits"]) };
    }),
  );
}

/** The sum of the containers; a bound that one of them lacks is lacking for the pod. */
function podUsage(pod: KubernetesObject): Usage {
  const usages = containersOf(pod, "containers").map((container) => recordOf(container["resources"]));
  const sum = (key: "requests" | "limits") => {
    const total = new Map<string, ExactQuantity>();
    for (const usage of usages) {
      for (const [name, value] of Object.entries(recordOf(usage[key]))) {
        const known = total.get(name);
        total.set(name, known ? plus(known, exactQuantity(value)) : exactQuantity(value));
      }
    }
    return Object.fromEntries([...total].map(([name, amount]) => [name, quantityText(amount)]));
  };
  return { requests: sum("requests"), limits: sum("limits") };
}

function problemsOf(limit: Limit, { requests, limits }: Usage): string[] {
  const { type } = limit;
  const below = Object.entries(limit.min).flatMap(([name, least]) => {
    const asked = requests[name];
    if (asked === undefined) return [`minimum ${name} usage per ${type} is ${shown(least)}.  No request is specified`];
    const tooLow = [asked, limits[name]].filter(
      (value) => value !== undefined && exactQuantity(value).nano < exactQuantity(least).nano,
    );
    if (tooLow.length === 0) return [];
    const what =
      exactQuantity(asked).nano < exactQuantity(least).nano
        ? `request is ${shown(asked)}`
        : `limit is ${shown(limits[name])}`;
    return [`minimum ${name} usage per ${type} is ${shown(least)}, but ${what}`];
  });
  const above = Object.entries(limit.max).flatMap(([name, most]) => {
    const bound = type === "PersistentVolumeClaim" ? requests[name] : limits[name];
    const word = type === "PersistentVolumeClaim" ? "request" : "limit";
    if (bound === undefined) return [`maximum ${name} usage per ${type} is ${shown(most)}.  No ${word} is specified`];
    return exactQuantity(bound).nano > exactQuantity(most).nano
      ? [`maximum ${name} usage per ${type} is ${shown(most)}, but ${word} is ${shown(bound)}`]
      : [];
  });
  const ratios = Object.entries(limit.maxLimitRequestRatio).flatMap(([name, most]) =>
    ratioProblem(type, name, most, requests[name], limits[name]),
  );
  return [...below, ...above, ...ratios];
}

function ratioProblem(type: string, name: string, most: unknown, asked: unknown, bound: unknown): string[] {
  const prefix = `${name} max limit to request ratio per ${type} is ${shown(most)}`;
  if (asked === undefined || exactQuantity(asked).nano === 0n || bound === undefined)
    return [`${prefix}, but no request is specified or request is 0`];
  const ratio = Number(exactQuantity(bound).nano) / Number(exactQuantity(asked).nano);
  return ratio > Number(exactQuantity(most).nano) / 1e9 ? [`${prefix}, but provided ratio is ${ratio.toFixed(6)}`] : [];
}

const shown = (value: unknown) => quantityText(exactQuantity(value));
