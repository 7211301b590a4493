import { z } from "zod";

export const conditionSchema = z.object({
  type: z.string().max(316),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string().min(1).max(1024),
  message: z.string().max(32768),
  lastTransitionTime: z.iso.datetime(),
  observedGeneration: z.int().min(0).optional(),
});

/** `status.conditions` of a CRD: one of each type. */
export const conditionsSchema = z
  .array(conditionSchema)
  .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] });

export type Condition = z.infer<typeof conditionSchema>;

/** The list with this condition in it. `lastTransitionTime` changes only with `status`; nothing new gives the same list back. */
export function setCondition(
  conditions: readonly Condition[],
  next: Omit<Condition, "lastTransitionTime">,
  now: number,
): readonly Condition[] {
  const old = findCondition(conditions, next.type);
  if (!old) return [...conditions, { ...next, lastTransitionTime: timestamp(now) }];
  const lastTransitionTime = old.status === next.status ? old.lastTransitionTime : timestamp(now);
  const changed = { ...old, ...next, lastTransitionTime };
  return isSame(old, changed) ? conditions : conditions.map((one) => (one === old ? changed : one));
}

export function findCondition(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** Absent means unknown, and so not true. */
export function isTrue(conditions: readonly Condition[], type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/** As Kubernetes writes times: to the second. */
export function timestamp(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
}

function isSame(a: Condition, b: Condition): boolean {
  return (["status", "reason", "message", "observedGeneration"] as const).every((field) => a[field] === b[field]);
}
