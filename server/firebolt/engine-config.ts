import { generationNames } from "./generation-names";
import { isRecord } from "./stable-hash";

type Config = Record<string, unknown>;

/** What config.yaml of one generation says: the operator's part, and what class and engine add to it. */
export function engineConfig(of: {
  engine: { name: string; namespace: string; replicas: number };
  generation: number;
  instance: { id: string; metadataEndpoint: string };
  custom: Config;
}): Config {
  const { engine, generation, instance } = of;
  const names = generationNames(engine.name, generation);
  const owned: Config = {
    schema_version: "1.0",
    instance: {
      id: instance.id,
      type: "multi_engine",
      multi_engine: { metadata_endpoint: instance.metadataEndpoint },
    },
    engine: {
      id: engine.name,
      nodes: Array.from({ length: engine.replicas }, (_, ordinal) => ({
        host: `${names.statefulSet}-${ordinal}.${names.headlessService}.${engine.namespace}.svc.cluster.local`,
      })),
      // Five seconds before the kubelet's patience ends.
      termination_grace_period: "55s",
    },
    logging: { format: "json" },
  };
  return mergeConfig(owned, of.custom);
}

/** Class below engine, each without what it may not say. */
export function customConfig(...layers: readonly (Config | undefined)[]): Config {
  return layers.reduce<Config>((merged, layer) => mergeConfig(merged, stripProtected(layer ?? {})), {});
}

/** Objects are merged key by key; anything else, a list too, is replaced by the later one. */
function mergeConfig(base: Config, over: Config): Config {
  // A Map: a config may well have a key called "__proto__".
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, isRecord(below) && isRecord(value) ? mergeConfig(below, value) : value);
  }
  return Object.fromEntries(merged);
}

const protectedKeys = new Set(["schema_version", "endpoints"]);
// A Map: a config may well have a section called "constructor".
const protectedSections = new Map([
  ["instance", new Set(["id", "type", "multi_engine", "auth"])],
  ["engine", new Set(["id", "nodes", "termination_grace_period"])],
]);

/** Drops what the operator alone may say; a section that is no object, or is empty then, goes as a whole. */
function stripProtected(config: Config): Config {
  return Object.fromEntries(
    Object.entries(config).flatMap(([key, value]) => {
      if (protectedKeys.has(key)) return [];
      const section = protectedSections.get(key);
      if (!section) return [[key, value]];
      if (!isRecord(value)) return [];
      const kept = Object.entries(value).filter(([inner]) => !section.has(inner));
      return kept.length > 0 ? [[key, Object.fromEntries(kept)]] : [];
    }),
  );
}
