import { type Container, type PodTemplate } from "@/machines/firebolt/pod-template.schema";
import { isRecord } from "./stable-hash";

type Fields = Record<string, unknown>;
type PodSpec = Fields & { containers: Container[] };
export type MergedTemplate = {
  metadata: { labels: Record<string, string>; annotations: Record<string, string> };
  spec: PodSpec;
};

/**
 * Three layers into one pod template: ours below, then the class, then the engine. The later wins for plain fields and
 * structs; maps are merged by key; lists are put one after the other, a later entry with the same key in place of the earlier.
 */
export function mergeTemplates(
  ours: MergedTemplate,
  primary: string,
  ...layers: readonly (PodTemplate | undefined)[]
): MergedTemplate {
  const { metadata, spec } = layers.reduce<MergedTemplate>(
    (below, layer) => (layer ? mergeLayer(below, layer, primary) : below),
    ours,
  );
  // Our labels are never overlaid: the rules refuse the reserved prefix, and a Service selects by them.
  return { metadata: { ...metadata, labels: { ...metadata.labels, ...ours.metadata.labels } }, spec };
}

function mergeLayer(below: MergedTemplate, layer: PodTemplate, primary: string): MergedTemplate {
  const { labels, annotations } = below.metadata;
  return {
    metadata: {
      labels: { ...labels, ...layer.metadata?.labels },
      annotations: { ...annotations, ...layer.metadata?.annotations },
    },
    spec: mergePodSpec(below.spec, layer.spec ?? {}, primary),
  };
}

function mergePodSpec(below: PodSpec, layer: Fields & { containers?: Container[] }, primary: string): PodSpec {
  const { containers = [], ...others } = layer;
  const merged: Fields = mergeFields(below, others, podLists);
  const over = containers.find(({ name }) => name === primary);
  const sidecars = containers.filter(({ name }) => name !== primary);
  const kept = below.containers.map((container) =>
    container.name === primary && over ? mergeContainer(container, over) : container,
  );
  return { ...merged, containers: concat(kept, sidecars, byName) };
}

function mergeContainer(below: Container, over: Container): Container {
  // The name is the same on both sides, and every other field of a container is optional.
  return mergeFields(below, over, containerLists) as Container;
}

function mergeFields(below: Fields, over: Fields, lists: Record<string, KeyOf>): Fields {
  const merged: Fields = { ...below };
  for (const [field, value] of Object.entries(over)) {
    if (value === undefined || value === null) continue;
    const under = merged[field];
    const keyOf = lists[field];
    if (keyOf && Array.isArray(value)) merged[field] = concat(Array.isArray(under) ? under : [], value, keyOf);
    else if (field === "nodeSelector" && isRecord(value) && isRecord(under)) merged[field] = { ...under, ...value };
    else merged[field] = value;
  }
  return merged;
}

/** What makes two entries the same one. */
type KeyOf = (entry: Fields) => string;

const byName = (entry: Fields) => String(entry.name);
// As the API server keys them: two entries with one key are refused by a server-side apply.
const bySpread = (entry: Fields) => `${String(entry.topologyKey)}/${String(entry.whenUnsatisfiable)}`;

const podLists: Record<string, KeyOf> = {
  tolerations: (entry) => JSON.stringify(entry),
  topologySpreadConstraints: bySpread,
  imagePullSecrets: byName,
  readinessGates: (entry) => String(entry.conditionType),
  resourceClaims: byName,
  hostAliases: (entry) => String(entry.ip),
  initContainers: byName,
  volumes: byName,
};

const containerLists: Record<string, KeyOf> = {
  env: byName,
  envFrom: (entry) => JSON.stringify(entry),
  volumeMounts: (entry) => String(entry.mountPath),
  volumeDevices: (entry) => String(entry.devicePath),
  resizePolicy: (entry) => String(entry.resourceName),
};

function concat<Entry extends Fields>(below: readonly Entry[], over: readonly Entry[], keyOf: KeyOf): Entry[] {
  const entries = new Map<string, Entry>();
  for (const entry of [...below, ...over]) entries.set(keyOf(entry), entry);
  return [...entries.values()];
}
