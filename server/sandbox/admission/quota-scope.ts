import { type KubernetesObject } from "@/server/kubernetes/object";
import { containersOf, isOver } from "@/server/sandbox/admission/quota-usage";
import { isRecord, listOf, recordOf, textOf, own } from "@/server/sandbox/json";

/** Whether a quota counts this object: quotas with scopes look at pods of that kind only. */
export function inScope(quota: KubernetesObject, storageKey: string, object: KubernetesObject): boolean {
  const scopes = listOf(quota.spec?.["scopes"]).map(textOf);
  const expressions = listOf(recordOf(quota.spec?.["scopeSelector"])["matchExpressions"]).filter(isRecord);
  if (scopes.length === 0 && expressions.length === 0) return true;
  if (storageKey !== "pods") return false;
  return (
    scopes.every((scope) => podScopes[scope]?.(object) ?? false) &&
    expressions.every((expression) => matchesExpression(expression, object))
  );
}

const podScopes: Record<string, (pod: KubernetesObject) => boolean> = {
  Terminating: (pod) => typeof pod.spec?.["activeDeadlineSeconds"] === "number",
  NotTerminating: (pod) => typeof pod.spec?.["activeDeadlineSeconds"] !== "number",
  BestEffort: isBestEffort,
  NotBestEffort: (pod) => !isBestEffort(pod) && !isOver(pod),
};

function isBestEffort(pod: KubernetesObject): boolean {
  return containersOf(pod).every((container) => {
    const { requests, limits } = recordOf(container["resources"]);
    return Object.keys(recordOf(requests)).length === 0 && Object.keys(recordOf(limits)).length === 0;
  });
}

const operators: Record<string, (name: string, values: readonly string[]) => boolean> = {
  In: (name, values) => values.includes(name),
  NotIn: (name, values) => !values.includes(name),
  Exists: (name) => name !== "",
  DoesNotExist: (name) => name === "",
};

function matchesExpression({ scopeName, operator, values }: Record<string, unknown>, pod: KubernetesObject): boolean {
  if (scopeName !== "PriorityClass") return own(podScopes, textOf(scopeName))?.(pod) ?? false;
  return (
    own(operators, textOf(operator))?.(textOf(pod.spec?.["priorityClassName"]), listOf(values).map(textOf)) ?? false
  );
}
