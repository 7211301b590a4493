import {
  type CrdCondition,
  type CrdNames,
  type CustomResourceDefinition,
} from "@/server/sandbox/crd/custom-resource-definition";

/** Names of the group that belong to others, by what they name. */
export type TakenNames = { resources: ReadonlySet<string>; kinds: ReadonlySet<string> };

export type NameVerdict = { acceptedNames: Partial<CrdNames>; conditions: CrdCondition[] };

/** Which of its names a definition may use, and the NamesAccepted and Established conditions that say so. */
export function judgeNames(crd: CustomResourceDefinition, taken: TakenNames, time: string): NameVerdict {
  const { names } = crd.spec;
  const before = crd.status?.acceptedNames ?? {};
  const conflicts: { reason: string; message: string }[] = [];
  const accept = (reason: string, wanted: string | undefined, used: ReadonlySet<string>, old: string | undefined) => {
    if (wanted === undefined || !used.has(wanted)) return wanted;
    conflicts.push({ reason, message: `${JSON.stringify(wanted)} is already in use` });
    return old;
  };
  const shortConflicts = (names.shortNames ?? []).filter((name) => taken.resources.has(name));
  const acceptedNames = defined({
    plural: accept("PluralConflict", names.plural, taken.resources, before.plural),
    singular: accept("SingularConflict", names.singular, taken.resources, before.singular),
    kind: accept("KindConflict", names.kind, taken.kinds, before.kind),
    listKind: accept("ListKindConflict", names.listKind, taken.kinds, before.listKind),
    shortNames: shortConflicts.length > 0 ? before.shortNames : names.shortNames,
    categories: names.categories,
  });
  if (shortConflicts.length > 0) {
    const shown = shortConflicts.map((name) => `${JSON.stringify(name)} is already in use`);
    conflicts.push({
      reason: "ShortNamesConflict",
      message: shown.length === 1 ? String(shown[0]) : `[${shown.join(", ")}]`,
    });
  }
  return { acceptedNames, conditions: conditionsOf(crd, conflicts.at(-1), time) };
}

function conditionsOf(
  crd: CustomResourceDefinition,
  conflict: { reason: string; message: string } | undefined,
  time: string,
): CrdCondition[] {
  const old = crd.status?.conditions ?? [];
  const accepted = conflict
    ? { type: "NamesAccepted", status: "False" as const, ...conflict }
    : { type: "NamesAccepted", status: "True" as const, reason: "NoConflicts", message: "no conflicts found" };
  // Once established, a definition stays it: its objects exist.
  const established = !conflict || old.some(({ type, status }) => type === "Established" && status === "True");
  const served = established
    ? {
        type: "Established",
        status: "True" as const,
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      }
    : { type: "Established", status: "False" as const, reason: "NotAccepted", message: "not all names are accepted" };
  return [accepted, served].reduce((conditions, condition) => withCondition(conditions, condition, time), [...old]);
}

/** The condition replaced or added; its time moves only with its status. */
export function withCondition(
  conditions: readonly CrdCondition[],
  condition: Omit<CrdCondition, "lastTransitionTime">,
  time: string,
): CrdCondition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const next = { ...condition, lastTransitionTime: old?.status === condition.status ? old.lastTransitionTime : time };
  const others = conditions.filter(({ type }) => type !== condition.type);
  return old ? conditions.map((of) => (of === old ? next : of)) : [...others, next];
}

function defined(names: Record<string, unknown>): Partial<CrdNames> {
  return Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined));
}
