import { type KubernetesObject } from "@/server/kubernetes/object";
import { type CompiledSchema, compileSchema } from "@/server/sandbox/crd/compiled-schema";
import { type CrdVersion, type CustomResourceDefinition } from "@/server/sandbox/crd/custom-resource-definition";
import { compileScaleCheck } from "@/server/sandbox/crd/scale-check";
import { printerColumns } from "@/server/sandbox/crd/printer-columns";
import { selectableFields } from "@/server/sandbox/crd/selectable-fields";
import { versionPriority } from "@/server/sandbox/crd/version-priority";
import { cloneJson, equalJson } from "@/server/sandbox/json";
import { type ResourceType, type Subresource, type Verb } from "@/server/sandbox/type-registry";

const verbs: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const inPlace: readonly Verb[] = ["get", "patch", "update"];

/** One type for each served version of a definition. */
export function customResourceTypes(crd: CustomResourceDefinition): ResourceType[] {
  return crd.spec.versions.filter(({ served }) => served).map((version) => typeOf(crd, version));
}

function typeOf(crd: CustomResourceDefinition, version: CrdVersion): ResourceType {
  const { group, names, scope } = crd.spec;
  const accepted = { ...names, ...crd.status?.acceptedNames };
  const schema = version.schema?.openAPIV3Schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const compiled = compileSchema(schema);
  return {
    group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    singular: accepted.singular ?? names.kind.toLowerCase(),
    shortNames: accepted.shortNames ?? [],
    categories: accepted.categories ?? [],
    namespaced: scope === "Namespaced",
    verbs,
    storageKey: `${names.plural}.${group}`,
    priority: versionPriority(version.name),
    subresources: subresourcesOf(version, names.kind),
    schema,
    strategy: strategyOf(version, compiled, crd.spec.preserveUnknownFields === true),
    ...conversionOf(crd),
  };
}

function subresourcesOf({ subresources = {} }: CrdVersion, kind: string): Record<string, Subresource> {
  const { status, scale } = subresources;
  return {
    ...(status ? { status: { kind, verbs: inPlace } } : {}),
    ...(scale ? { scale: { kind: "Scale", group: "autoscaling", version: "v1", verbs: inPlace, scale } } : {}),
  };
}

function strategyOf(
  version: CrdVersion,
  { prune, setDefaults, validate }: CompiledSchema,
  keepsUnknown: boolean,
): ResourceType["strategy"] {
  const scaleErrors = compileScaleCheck(version);
  return {
    generation: true,
    versionRequired: true,
    columns: printerColumns(version),
    selectableFields: selectableFields(version),
    validate: (object, old) => [...validate(object, old), ...scaleErrors(object)],
    normalize: (object) => {
      if (!keepsUnknown) prune(object);
      setDefaults(object);
    },
  };
}

/**
 * Objects that were stored before the schema changed are pruned and completed, by the schema of the stored version, as
 * they are read. A definition that never changed needs nothing of that.
 */
function conversionOf(crd: CustomResourceDefinition): Pick<ResourceType, "conversion"> {
  const stored = crd.spec.versions.find(({ storage }) => storage)?.schema?.openAPIV3Schema;
  if (!stored || (crd.metadata.generation ?? 1) === 1) return {};
  const { prune, setDefaults } = compileSchema(stored);
  const read = new WeakMap<KubernetesObject, KubernetesObject>();
  const fromStored = (object: KubernetesObject) => {
    const known = read.get(object);
    if (known) return known;
    const copy = cloneJson(object);
    prune(copy);
    setDefaults(copy);
    const result = equalJson(copy, object) ? object : copy;
    read.set(object, result);
    return result;
  };
  return { conversion: { fromStored, toStored: (object) => object } };
}
