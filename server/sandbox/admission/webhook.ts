import { type KubernetesObject } from "@/server/kubernetes/object";
import { type AdmissionAttributes } from "@/server/sandbox/admission-plugin";
import { type Cluster } from "@/server/sandbox/cluster";
import { compileExpression } from "@/server/sandbox/crd/cel/compile-expression";
import { dyn } from "@/server/sandbox/crd/cel/cel-type";
import { isRecord, listOf, recordOf, textOf } from "@/server/sandbox/json";
import { type LabelSelector, matcherOf } from "@/server/sandbox/selector/label-selector";

/** One webhook of a configuration, with its defaults. */
export type Webhook = {
  name: string;
  clientConfig: { url?: string; service?: ServiceTarget; caBundle?: string };
  rules: readonly Rule[];
  failurePolicy: "Fail" | "Ignore";
  matchPolicy: "Exact" | "Equivalent";
  namespaceSelector: LabelSelector;
  objectSelector: LabelSelector;
  sideEffects: string;
  timeoutSeconds: number;
  matchConditions: readonly { name: string; expression: string }[];
};

export type ServiceTarget = { namespace: string; name: string; path?: string; port?: number };
type Rule = {
  operations: readonly string[];
  apiGroups: readonly string[];
  apiVersions: readonly string[];
  resources: readonly string[];
  scope: string;
};

const group = "admissionregistration.k8s.io";
const namespaces = { group: "", plural: "namespaces" };
const parsed = new WeakMap<KubernetesObject, Webhook[]>();

/** All webhooks of a kind, in the order in which they are asked: by the name of their configuration. */
export function webhooksOf(
  cluster: Cluster,
  plural: "mutatingwebhookconfigurations" | "validatingwebhookconfigurations",
): Webhook[] {
  const configurations = cluster.list({ group, plural });
  if (configurations.length === 0) return [];
  configurations.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return configurations.flatMap((configuration) => {
    const known = parsed.get(configuration) ?? listOf(configuration["webhooks"]).filter(isRecord).map(webhookOf);
    parsed.set(configuration, known);
    return known;
  });
}

function webhookOf(raw: Record<string, unknown>): Webhook {
  const texts = (value: unknown) => listOf(value).map(textOf);
  return {
    name: textOf(raw["name"]),
    clientConfig: recordOf(raw["clientConfig"]),
    rules: listOf(raw["rules"])
      .map(recordOf)
      .map((rule) => ({
        operations: texts(rule["operations"]),
        apiGroups: texts(rule["apiGroups"]),
        apiVersions: texts(rule["apiVersions"]),
        resources: texts(rule["resources"]),
        scope: textOf(rule["scope"]) || "*",
      })),
    failurePolicy: raw["failurePolicy"] === "Ignore" ? "Ignore" : "Fail",
    matchPolicy: raw["matchPolicy"] === "Exact" ? "Exact" : "Equivalent",
    namespaceSelector: recordOf(raw["namespaceSelector"]),
    objectSelector: recordOf(raw["objectSelector"]),
    sideEffects: textOf(raw["sideEffects"]),
    timeoutSeconds: typeof raw["timeoutSeconds"] === "number" ? raw["timeoutSeconds"] : 10,
    matchConditions: listOf(raw["matchConditions"])
      .map(recordOf)
      .map(({ name, expression }) => ({ name: textOf(name), expression: textOf(expression) })),
  };
}

/** Whether a webhook wants to hear of a request. */
export function isConcerned(cluster: Cluster, webhook: Webhook, attributes: AdmissionAttributes): boolean {
  return (
    webhook.rules.some((rule) => ruleMatches(rule, webhook.matchPolicy, attributes)) &&
    namespaceMatches(cluster, webhook.namespaceSelector, attributes) &&
    objectMatches(webhook.objectSelector, attributes) &&
    webhook.matchConditions.every(({ expression }) => conditionHolds(expression, attributes))
  );
}

const covers = (values: readonly string[], wanted: string) => values.includes("*") || values.includes(wanted);

function ruleMatches(
  rule: Rule,
  policy: Webhook["matchPolicy"],
  { operation, type, subresource }: AdmissionAttributes,
): boolean {
  if (!covers(rule.operations, operation) || !covers(rule.apiGroups, type.group)) return false;
  if (policy === "Exact" && !covers(rule.apiVersions, type.version)) return false;
  if (rule.scope !== "*" && (rule.scope === "Namespaced") !== type.namespaced) return false;
  const wanted =
    subresource === undefined
      ? [type.plural, "*", "*/*"]
      : [`${type.plural}/${subresource}`, `*/${subresource}`, `${type.plural}/*`, "*/*"];
  return rule.resources.some((resource) => wanted.includes(resource));
}

function namespaceMatches(
  cluster: Cluster,
  selector: LabelSelector,
  { type, namespace, object, oldObject }: AdmissionAttributes,
): boolean {
  if (type.storageKey === "namespaces") return matcherOf(selector)((object ?? oldObject)?.metadata.labels);
  if (namespace === undefined) return true;
  return matcherOf(selector)(cluster.get(namespaces, undefined, namespace)?.metadata.labels);
}

function objectMatches(selector: LabelSelector, { object, oldObject }: AdmissionAttributes): boolean {
  const matches = matcherOf(selector);
  return [object, oldObject].some((of) => of !== undefined && matches(of.metadata.labels));
}

const conditionTypes = new Map(["object", "oldObject", "request"].map((name) => [name, dyn]));

function conditionHolds(
  expression: string,
  { object, oldObject, operation, namespace, name, ctx }: AdmissionAttributes,
): boolean {
  const request = { operation, namespace, name, userInfo: ctx.user, dryRun: ctx.dryRun === true };
  try {
    return (
      compileExpression(expression, conditionTypes).run({
        object: object ?? null,
        oldObject: oldObject ?? null,
        request,
      }) === true
    );
  } catch {
    // A condition that fails must not let a request slip by: the webhook is asked.
    return true;
  }
}
