import { type KubernetesObject } from "@/server/kubernetes/object";
import { forbidden, invalid, notSupported, type FieldError } from "@/server/sandbox/field-error";
import { goQuote } from "@/server/sandbox/go-format";
import { isRecord, recordOf, textOf } from "@/server/sandbox/json";

const PERCENT = /^[0-9]+%$/;
const PERCENT_RULE =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
const ROLLING = "spec.strategy.rollingUpdate";

/** What is particular to Deployments: how they roll, and by when. */
export function deploymentErrors({ spec = {} }: KubernetesObject): FieldError[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  const errors = strategyErrors(recordOf(spec["strategy"]));
  if (typeof deadline === "number" && typeof minReadySeconds === "number" && deadline <= minReadySeconds)
    errors.push(invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
  return errors;
}

function strategyErrors({ type, rollingUpdate }: Readonly<Record<string, unknown>>): FieldError[] {
  if (type === "RollingUpdate") return isRecord(rollingUpdate) ? rollingErrors(rollingUpdate) : [];
  if (type === "Recreate") {
    const rule = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [forbidden(ROLLING, rule)];
  }
  const badText = `apps.DeploymentStrategy{Type:${goQuote(textOf(type))}, RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}`;
  return [{ ...notSupported("spec.strategy", type, ["Recreate", "RollingUpdate"]), badText }];
}

function rollingErrors({ maxUnavailable, maxSurge }: Readonly<Record<string, unknown>>): FieldError[] {
  const errors = [
    ...shareErrors(maxUnavailable, `${ROLLING}.maxUnavailable`),
    ...shareErrors(maxSurge, `${ROLLING}.maxSurge`),
  ];
  if (errors.length > 0 || !isNone(maxUnavailable) || !isNone(maxSurge)) return errors;
  return [refused(maxUnavailable, `${ROLLING}.maxUnavailable`, "may not be 0 when `maxSurge` is 0")];
}

/** A number of pods, or a percentage of them. */
function shareErrors(value: unknown, field: string): FieldError[] {
  if (typeof value === "number") return value < 0 ? [refused(value, field, "must be greater than or equal to 0")] : [];
  return typeof value !== "string" || PERCENT.test(value) ? [] : [refused(value, field, PERCENT_RULE)];
}

function isNone(value: unknown): boolean {
  return value === 0 || (typeof value === "string" && Number.parseInt(value, 10) === 0);
}

function refused(value: unknown, field: string, why: string): FieldError {
  const [type, number, text] = typeof value === "number" ? [0, value, ""] : [1, 0, textOf(value)];
  return {
    ...invalid(field, value, why),
    badText: `intstr.IntOrString{Type:${type}, IntVal:${number}, StrVal:${goQuote(text)}}`,
  };
}
