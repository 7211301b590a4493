/** The names of one generation's objects: analytics-g4, analytics-g4-hl, analytics-g4-config. */
export function generationNames(engine: string, generation: number) {
  const statefulSet = `${engine}-g${generation}`;
  return { statefulSet, headlessService: `${statefulSet}-hl`, configMap: `${statefulSet}-config` };
}

/** The Service that clients of the engine use; its selector says which generation serves. */
export function clusterServiceName(engine: string): string {
  return `${engine}-service`;
}

/**
 * A pod carries its StatefulSet's name and an 11 character hash in a label of at most 63; five digits are left for
 * the generation.
 */
export const engineNameMax = 45;

export const labels = {
  engine: "firebolt.io/engine",
  generation: "firebolt.io/generation",
  instance: "firebolt.io/instance",
  component: "firebolt.io/component",
} as const;

export const annotations = {
  configHash: "firebolt.io/custom-engine-config-hash",
  classHash: "firebolt.io/engine-class-hash",
  /** Hash of everything we asked for; with an untouched spec it proves that a difference is the API server's own. */
  desiredHash: "orrery.dev/desired-hash",
  restartedAt: "orrery.dev/restarted-at",
  /** The old generation whose queries nobody waits for. */
  skipDrainOf: "orrery.dev/skip-drain-of",
} as const;

export const finalizers = {
  engine: "compute.firebolt.io/engine-cleanup",
  instance: "compute.firebolt.io/instance-cleanup",
  engineClass: "compute.firebolt.io/fireboltengineclass-deletion-guard",
} as const;

export function generationLabels(engine: string, generation: number): Record<string, string> {
  return { [labels.engine]: engine, [labels.generation]: String(generation) };
}

/** The generation that an object belongs to; null for the Service that all share, whose label only says whom it selects. */
export function generationOf({ metadata }: Labelled): number | null {
  const { [labels.engine]: engine = "", [labels.generation]: generation = "" } = metadata.labels ?? {};
  if (metadata.name === clusterServiceName(engine)) return null;
  return /^\d+$/.test(generation) ? Number(generation) : null;
}

type Labelled = { metadata: { name?: string; labels?: Record<string, string> } };
