import { type KubernetesObject } from "@/server/kubernetes/object";
import { forbidden, invalid, notSupported, required, type FieldError } from "@/server/sandbox/field-error";
import { equalJson, isRecord, recordOf, textOf } from "@/server/sandbox/json";
import { matcherOf } from "@/server/sandbox/selector/label-selector";
import { records } from "@/server/sandbox/types/default-pod-spec";
import { goLabelSelector, goStringMap } from "@/server/sandbox/types/go-label-selector";
import { annotationsErrors, labelsErrors, selectorErrors } from "@/server/sandbox/types/validate-labels";
import { negative, validatePodSpec } from "@/server/sandbox/types/validate-pod-spec";

type Fields = Record<string, unknown>;

/** What kinds call their own selectors: a StatefulSet's refusal is the one that gives no reason. */
const selectorWords: Readonly<Record<string, { empty: string; wrong: string }>> = {
  StatefulSet: { empty: "empty selector is invalid for statefulset", wrong: "" },
  DaemonSet: { empty: "empty selector is invalid for daemonset", wrong: "invalid label selector" },
};
const otherWords = { empty: "empty selector is invalid for deployment", wrong: "invalid label selector" };

/** The rules that all kinds share whose pods are made from a template. */
export function workloadErrors(object: KubernetesObject, old: KubernetesObject | undefined): FieldError[] {
  const spec = object.spec ?? {};
  const { selector, template } = spec;
  const wrong = selectorProblems(object.kind, selector);
  const errors = [...negatives(spec, ["replicas", "minReadySeconds", "revisionHistoryLimit"]), ...wrong];
  // With a selector that nobody can read, nothing more is said of the template.
  if (wrong.length === 0 || selector === undefined)
    errors.push(...templateErrors(recordOf(template), selector, claimNames(spec)));
  if (old && !equalJson(selector, old.spec?.["selector"]) && object.kind !== "StatefulSet") {
    errors.push({ ...invalid("spec.selector", selector, "field is immutable"), badText: goLabelSelector(selector) });
  }
  return errors;
}

function selectorProblems(kind: string, selector: unknown): FieldError[] {
  if (!isRecord(selector)) return [required("spec.selector")];
  const words = selectorWords[kind] ?? otherWords;
  const refused = (why: string) => ({ ...invalid("spec.selector", selector, why), badText: goLabelSelector(selector) });
  if (Object.keys(selector).length === 0) return [refused(words.empty)];
  const errors = selectorErrors(selector, "spec.selector");
  return errors.length === 0 ? [] : [...errors, refused(words.wrong)];
}

/** A StatefulSet's claims are volumes of its pods. */
function claimNames(spec: Fields): string[] {
  return records(spec["volumeClaimTemplates"]).map((claim) => textOf(recordOf(claim["metadata"])["name"]));
}

function templateErrors(template: Fields, selector: unknown, claims: readonly string[]): FieldError[] {
  const { labels } = recordOf(template["metadata"]);
  const errors = templateMetadataErrors(template);
  if (!isRecord(selector) || !matcherOf(selector)(recordOf(labels) as Record<string, string>)) {
    const mismatch = invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
    errors.unshift({
      ...mismatch,
      badText: labels === undefined ? "map[string]string(nil)" : goStringMap(recordOf(labels)),
    });
  }
  errors.push(...validatePodSpec(template["spec"], "spec.template.spec", claims));
  const policy = textOf(recordOf(template["spec"])["restartPolicy"]);
  if (policy !== "Always" && policy !== "")
    errors.push(notSupported("spec.template.spec.restartPolicy", policy, ["Always"]));
  return errors;
}

/** Kubernetes leaves out "metadata" when it names these fields. */
export function templateMetadataErrors(template: Fields): FieldError[] {
  const { labels, annotations } = recordOf(template["metadata"]);
  return [
    ...labelsErrors(labels, "spec.template.labels"),
    ...annotationsErrors(annotations, "spec.template.annotations"),
  ];
}

export function negatives(spec: Fields, fields: readonly string[], path = "spec"): FieldError[] {
  return fields.flatMap((field) => {
    const value = spec[field];
    return typeof value === "number" && value < 0 ? [negative(`${path}.${field}`, value)] : [];
  });
}

const STATEFUL_SET_MUTABLE = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
  "revisionHistoryLimit",
];

export function statefulSetErrors({ spec = {} }: KubernetesObject, old: KubernetesObject | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const policy = textOf(spec["podManagementPolicy"]);
  if (!["OrderedReady", "Parallel"].includes(policy))
    errors.push(invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'"));
  const strategy = recordOf(spec["updateStrategy"]);
  const type = textOf(strategy["type"]);
  if (!["RollingUpdate", "OnDelete"].includes(type)) {
    const badText = `apps.StatefulSetUpdateStrategy{Type:${JSON.stringify(type)}, RollingUpdate:(*apps.RollingUpdateStatefulSetStrategy)(nil)}`;
    errors.push({ ...invalid("spec.updateStrategy", type, "must be 'RollingUpdate' or 'OnDelete'"), badText });
  }
  errors.push(...negatives(recordOf(strategy["rollingUpdate"]), ["partition"], "spec.updateStrategy.rollingUpdate"));
  if (recordOf(recordOf(spec["template"])["spec"])["activeDeadlineSeconds"] !== undefined) {
    const field = "spec.template.spec.activeDeadlineSeconds";
    errors.push(forbidden(field, "activeDeadlineSeconds in StatefulSet is not Supported"));
  }
  return old ? [...errors, ...statefulSetUpdate(spec, old.spec ?? {})] : errors;
}

function statefulSetUpdate(spec: Fields, old: Fields): FieldError[] {
  const fixed = (all: Fields) =>
    Object.fromEntries(Object.entries(all).filter(([key]) => !STATEFUL_SET_MUTABLE.includes(key)));
  if (equalJson(fixed(spec), fixed(old))) return [];
  return [
    forbidden(
      "spec",
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ),
  ];
}
