import { type KubernetesObject } from "@/server/kubernetes/object";
import { compileExpression } from "@/server/sandbox/crd/cel/compile-expression";
import { dyn } from "@/server/sandbox/crd/cel/cel-type";
import { duplicate, type FieldError, invalid, notSupported, required } from "@/server/sandbox/field-error";
import { isRecord, listOf, recordOf, textOf } from "@/server/sandbox/json";
import { type Strategy } from "@/server/sandbox/type-registry";

/** How webhook configurations are completed and checked. */
export function webhookConfigurationStrategy(mutating: boolean): Strategy {
  return { generation: true, normalize: (object) => fillIn(object, mutating), validate: errorsIn };
}

function fillIn(configuration: KubernetesObject, mutating: boolean): void {
  for (const webhook of listOf(configuration["webhooks"]).filter(isRecord)) {
    webhook["failurePolicy"] ??= "Fail";
    webhook["matchPolicy"] ??= "Equivalent";
    webhook["namespaceSelector"] ??= {};
    webhook["objectSelector"] ??= {};
    webhook["timeoutSeconds"] ??= 10;
    if (mutating) webhook["reinvocationPolicy"] ??= "Never";
    for (const rule of listOf(webhook["rules"]).filter(isRecord)) rule["scope"] ??= "*";
    const service = recordOf(webhook["clientConfig"])["service"];
    if (isRecord(service)) service["port"] ??= 443;
  }
}

const reviewVersions = ["v1", "v1beta1"];
const variables = new Map(["object", "oldObject", "request"].map((name) => [name, dyn]));

function errorsIn(configuration: KubernetesObject): FieldError[] {
  const seen = new Set<string>();
  return listOf(configuration["webhooks"])
    .map(recordOf)
    .flatMap((webhook, index) => {
      const path = `webhooks[${index}]`;
      const name = textOf(webhook["name"]);
      const repeated = seen.has(name) ? [duplicate(`${path}.name`, name)] : [];
      seen.add(name);
      return [...repeated, ...webhookErrors(webhook, name, path)];
    });
}

function webhookErrors(webhook: Record<string, unknown>, name: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(`${path}.name`));
  else if (name.split(".").length < 3)
    errors.push(invalid(`${path}.name`, name, "should be a domain with at least three segments separated by dots"));
  const sideEffects = webhook["sideEffects"];
  if (sideEffects === undefined) errors.push(required(`${path}.sideEffects`, "must specify one of None, NoneOnDryRun"));
  else if (sideEffects !== "None" && sideEffects !== "NoneOnDryRun")
    errors.push(notSupported(`${path}.sideEffects`, sideEffects, ["None", "NoneOnDryRun"]));
  const timeout = Number(webhook["timeoutSeconds"]);
  if (!(timeout >= 1 && timeout <= 30))
    errors.push(invalid(`${path}.timeoutSeconds`, timeout, "the timeout value must be between 1 and 30 seconds"));
  const versions = listOf(webhook["admissionReviewVersions"]).map(textOf);
  const oneOf = `must specify one of ${reviewVersions.join(", ")}`;
  if (versions.length === 0) errors.push(required(`${path}.admissionReviewVersions`, oneOf));
  else if (!versions.includes("v1"))
    errors.push(
      invalid(`${path}.admissionReviewVersions`, versions, `must include at least one of ${reviewVersions.join(", ")}`),
    );
  return [
    ...errors,
    ...targetErrors(recordOf(webhook["clientConfig"]), `${path}.clientConfig`),
    ...conditionErrors(webhook, path),
  ];
}

function targetErrors({ url, service }: Record<string, unknown>, path: string): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [required(path, "exactly one of url or service is required")];
  if (url === undefined) return [];
  const text = textOf(url);
  if (!URL.canParse(text)) return [invalid(`${path}.url`, text, "url must be a valid URL")];
  const { protocol, username, hash, search } = new URL(text);
  if (protocol !== "https:")
    return [
      invalid(
        `${path}.url`,
        protocol.slice(0, -1),
        "'https' is the only allowed URL scheme; desired format: https://host[/path]",
      ),
    ];
  if (username !== "") return [invalid(`${path}.url`, username, "user information is not permitted in the URL")];
  return hash === "" && search === ""
    ? []
    : [invalid(`${path}.url`, text, "fragments and query parameters are not permitted in the URL")];
}

function conditionErrors(webhook: Record<string, unknown>, path: string): FieldError[] {
  return listOf(webhook["matchConditions"])
    .map(recordOf)
    .flatMap(({ expression }, index) => {
      try {
        compileExpression(textOf(expression), variables);
        return [];
      } catch (error) {
        return [
          invalid(
            `${path}.matchConditions[${index}].expression`,
            expression,
            `compilation failed: ${error instanceof Error ? error.message : String(error)}`,
          ),
        ];
      }
    });
}
