import { type LabelSelector } from "./meta";

type Requirement = { key: string; operator: string; values?: string[] };
type Labels = Record<string, string> | undefined;

/** Whether a metav1.LabelSelector selects these labels. An absent selector selects nothing, an empty one everything. */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  const pairs = Object.entries(selector.matchLabels ?? {});
  return (
    pairs.every(([key, value]) => labels?.[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels))
  );
}

/** Whether a plain map of labels, as Services carry it, selects these labels. An empty map selects nothing. */
export function selectsByMap(selector: Record<string, string> | undefined, labels: Labels): boolean {
  const pairs = Object.entries(selector ?? {});
  return pairs.length > 0 && pairs.every(([key, value]) => labels?.[key] === value);
}

/** One requirement of a label or node selector. */
export function meets(requirement: Requirement, labels: Labels): boolean {
  const value = labels?.[requirement.key];
  const test = operators[requirement.operator];
  return test ? test(value, requirement.values ?? []) : false;
}

const operators: Record<string, (value: string | undefined, values: string[]) => boolean> = {
  In: (value, values) => value !== undefined && values.includes(value),
  NotIn: (value, values) => value === undefined || !values.includes(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
  Gt: (value, values) => value !== undefined && Number(value) > Number(values[0]),
  Lt: (value, values) => value !== undefined && Number(value) < Number(values[0]),
};
