import { type KubernetesObject } from "@/server/kubernetes/object";
import { type CrdSpec, type CrdVersion, type PrinterColumn } from "@/server/sandbox/crd/custom-resource-definition";
import { compileJsonPath } from "@/server/sandbox/crd/json-path";
import { isJsonObject } from "@/server/sandbox/crd/schema";
import { selectableFieldErrors } from "@/server/sandbox/crd/selectable-fields";
import { schemaErrors } from "@/server/sandbox/crd/schema-errors";
import { type FieldError, forbidden, invalid, notSupported, required } from "@/server/sandbox/field-error";

/** Everything that is wrong with a CustomResourceDefinition, also with its change. */
export function crdErrors(object: KubernetesObject, old: KubernetesObject | undefined): FieldError[] {
  if (!isJsonObject(object.spec)) return [required("spec")];
  const spec = shapedSpec(object.spec);
  const errors = [...nameErrors(object.metadata.name, spec), ...specErrors(spec)];
  return old ? [...errors, ...changeErrors(spec, shapedSpec(old.spec ?? {}), isEstablished(old))] : errors;
}

/** What a client left out becomes empty, so that the checks below can name it. */
function shapedSpec(raw: Record<string, unknown>): CrdSpec {
  const spec = raw as Partial<CrdSpec>; // Read field by field below; each is checked before it is used.
  return {
    ...spec,
    group: spec.group ?? "",
    scope: spec.scope ?? ("" as CrdSpec["scope"]),
    names: spec.names ?? { plural: "", kind: "" },
    versions: Array.isArray(spec.versions) ? spec.versions : [],
  };
}

function nameErrors(name: string, { group, names }: CrdSpec): FieldError[] {
  const expected = `${names.plural}.${group}`;
  return name === expected ? [] : [invalid("metadata.name", name, `must be spec.names.plural+"."+spec.group`)];
}

const label = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const labelRule =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function specErrors(spec: CrdSpec): FieldError[] {
  const errors = [...groupErrors(spec.group), ...scopeErrors(spec.scope)];
  if (spec.preserveUnknownFields === true) {
    errors.push(
      invalid(
        "spec.preserveUnknownFields",
        true,
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      ),
    );
  }
  spec.versions.forEach((version, index) => errors.push(...versionErrors(version, `spec.versions[${index}]`)));
  const shown = { badText: "…" };
  if (new Set(spec.versions.map(({ name }) => name)).size < spec.versions.length) {
    errors.push({ ...invalid("spec.versions", null, "must contain unique version names"), ...shown });
  }
  if (spec.versions.filter(({ storage }) => storage).length !== 1) {
    errors.push({
      ...invalid("spec.versions", null, "must have exactly one version marked as storage version"),
      ...shown,
    });
  }
  errors.push(...namesErrors(spec));
  const strategy = spec.conversion?.strategy ?? "None";
  if (strategy === "Webhook")
    errors.push(forbidden("spec.conversion.strategy", "the sandbox converts with strategy None only"));
  else if (strategy !== "None") errors.push(notSupported("spec.conversion.strategy", strategy, ["None", "Webhook"]));
  return errors;
}

function groupErrors(group: string): FieldError[] {
  if (group === "") return [required("spec.group")];
  if (!subdomain.test(group)) return [invalid("spec.group", group, subdomainRule)];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function scopeErrors(scope: string): FieldError[] {
  if (scope === "") return [required("spec.scope")];
  return scope === "Cluster" || scope === "Namespaced"
    ? []
    : [notSupported("spec.scope", scope, ["Cluster", "Namespaced"])];
}

function namesErrors({ names }: CrdSpec): FieldError[] {
  const needed = (["plural", "singular", "kind", "listKind"] as const).flatMap((key) =>
    names[key] ? [] : [required(`spec.names.${key}`)],
  );
  const labels = [
    ["plural", names.plural],
    ["singular", names.singular],
    ...(names.shortNames ?? []).map((name, index) => [`shortNames[${index}]`, name]),
    ...(names.categories ?? []).map((name, index) => [`categories[${index}]`, name]),
  ].flatMap(([key, name]) =>
    name && !label.test(name) ? [invalid(`spec.names.${String(key)}`, name, labelRule)] : [],
  );
  const kinds = (["kind", "listKind"] as const).flatMap((key) => {
    const name = names[key];
    const why = `may have mixed case, but should otherwise match: ${labelRule}`;
    return name && !label.test(name.toLowerCase()) ? [invalid(`spec.names.${key}`, name, why)] : [];
  });
  const same =
    names.kind && names.kind === names.listKind
      ? [invalid("spec.names.listKind", names.listKind, "kind and listKind may not be the same")]
      : [];
  return [...needed, ...labels, ...kinds, ...same];
}

function versionErrors(version: CrdVersion, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!label.test(version.name)) errors.push(invalid(`${path}.name`, version.name, labelRule));
  const schema = version.schema?.openAPIV3Schema;
  if (schema) errors.push(...schemaErrors(schema, `${path}.schema.openAPIV3Schema`));
  else errors.push(required(`${path}.schema.openAPIV3Schema`, "schemas are required"));
  if (!version.deprecated && version.deprecationWarning !== undefined) {
    errors.push(
      invalid(`${path}.deprecationWarning`, version.deprecationWarning, "can only be set for deprecated versions"),
    );
  }
  errors.push(...scaleErrors(version, `${path}.subresources`));
  version.additionalPrinterColumns?.forEach((column, index) =>
    errors.push(...columnErrors(column, `${path}.additionalPrinterColumns[${index}]`)),
  );
  errors.push(...selectableFieldErrors(version, `${path}.selectableFields`));
  return errors;
}

function scaleErrors({ subresources }: CrdVersion, path: string): FieldError[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const selector = scale.labelSelectorPath;
  return [
    ...pathErrors(
      scale.specReplicasPath,
      `${path}.scale.specReplicasPath`,
      [".spec."],
      "should be a json path under .spec",
    ),
    ...pathErrors(
      scale.statusReplicasPath,
      `${path}.scale.statusReplicasPath`,
      [".status."],
      "should be a json path under .status",
    ),
    ...(selector
      ? pathErrors(
          selector,
          `${path}.scale.labelSelectorPath`,
          [".spec.", ".status."],
          "should be a json path under either .spec or .status",
        )
      : []),
  ];
}

function pathErrors(value: string | undefined, path: string, under: readonly string[], why: string): FieldError[] {
  if (!value) return [required(path)];
  if (!value.startsWith(".")) return [invalid(path, value, "must be a simple json path starting with .")];
  return under.some((prefix) => value.startsWith(prefix)) ? [] : [invalid(path, value, why)];
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function columnErrors({ name, type, format, jsonPath }: PrinterColumn, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const oneOf = `must be one of ${columnTypes.join(",")}`;
  if (!name) errors.push(required(`${path}.name`));
  if (!type) errors.push(required(`${path}.type`, oneOf));
  else if (!columnTypes.includes(type)) errors.push(invalid(`${path}.type`, type, oneOf));
  if (format && !columnFormats.includes(format))
    errors.push(invalid(`${path}.format`, format, `must be one of ${columnFormats.join(",")}`));
  if (!jsonPath) return [...errors, required(`${path}.jsonPath`)];
  if (!jsonPath.startsWith("."))
    return [...errors, invalid(`${path}.jsonPath`, jsonPath, "must be a simple json path starting with .")];
  return [...errors, ...readabilityErrors(jsonPath, `${path}.jsonPath`)];
}

function readabilityErrors(jsonPath: string, path: string): FieldError[] {
  try {
    compileJsonPath(jsonPath);
    return [];
  } catch (error) {
    return [invalid(path, jsonPath, error instanceof Error ? error.message : String(error))];
  }
}

function isEstablished(crd: KubernetesObject): boolean {
  const conditions: unknown = crd.status?.["conditions"];
  return (
    Array.isArray(conditions) &&
    conditions.some((of: unknown) => isJsonObject(of) && of["type"] === "Established" && of["status"] === "True")
  );
}

function changeErrors(spec: CrdSpec, old: CrdSpec, established: boolean): FieldError[] {
  const fixed: [string, string, string][] = [
    ["spec.group", spec.group, old.group],
    ["spec.names.plural", spec.names.plural, old.names.plural],
  ];
  if (established)
    fixed.push(["spec.scope", spec.scope, old.scope], ["spec.names.kind", spec.names.kind, old.names.kind]);
  return fixed
    .filter(([, now, before]) => now !== before)
    .map(([field, now]) => invalid(field, now, "field is immutable"));
}
