import { keyErrors, labelValueErrors } from "@/server/sandbox/cluster/validate-metadata";
import { forbidden, invalid, required, type FieldError } from "@/server/sandbox/field-error";
import { listOf, recordOf, textOf } from "@/server/sandbox/json";

/** The rules for a map of labels, wherever it stands. */
export function labelsErrors(labels: unknown, field: string): FieldError[] {
  return Object.entries(recordOf(labels)).flatMap(([key, value]) => [
    ...keyErrors(field, key),
    ...labelValueErrors(field, value),
  ]);
}

export function annotationsErrors(annotations: unknown, field: string): FieldError[] {
  return Object.keys(recordOf(annotations)).flatMap((key) => keyErrors(field, key.toLowerCase()));
}

/** The rules for a metav1.LabelSelector. */
export function selectorErrors(selector: unknown, field: string): FieldError[] {
  const { matchLabels, matchExpressions } = recordOf(selector);
  return [
    ...labelsErrors(matchLabels, `${field}.matchLabels`),
    ...listOf(matchExpressions).flatMap((term, i) => termErrors(recordOf(term), `${field}.matchExpressions[${i}]`)),
  ];
}

type Term = Readonly<Record<string, unknown>>;

const valueRules: Readonly<Record<string, (values: readonly unknown[], field: string) => FieldError[]>> = {
  In: someValues,
  NotIn: someValues,
  Exists: noValues,
  DoesNotExist: noValues,
};

function termErrors({ key, operator, values }: Term, field: string): FieldError[] {
  const rule = valueRules[textOf(operator)];
  const unknown = invalid(`${field}.operator`, operator ?? "", "not a valid selector operator");
  return [...(rule ? rule(listOf(values), `${field}.values`) : [unknown]), ...keyErrors(`${field}.key`, textOf(key))];
}

function someValues(values: readonly unknown[], field: string): FieldError[] {
  if (values.length === 0) return [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
  return values.flatMap((value, i) => labelValueErrors(`${field}[${i}]`, value));
}

function noValues(values: readonly unknown[], field: string): FieldError[] {
  if (values.length === 0) return [];
  return [forbidden(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
}
