import { type KubernetesObject } from "@/server/kubernetes/object";
import { crdErrors } from "@/server/sandbox/crd/crd-errors";
import { asCrd, type CrdNames, type CrdSpec } from "@/server/sandbox/crd/custom-resource-definition";
import { misshapenField } from "@/server/sandbox/crd/definition-shape";
import { isJsonObject } from "@/server/sandbox/crd/schema";
import { badRequestError } from "@/server/sandbox/status-error";
import { type Strategy } from "@/server/sandbox/type-registry";

/** How CustomResourceDefinitions themselves are stored. */
export const crdStrategy: Strategy = {
  generation: true,
  normalize: fillIn,
  prepareCreate: (crd) => {
    crd.status = { conditions: [], acceptedNames: { plural: "", kind: "" }, storedVersions: storageVersions(crd) };
  },
  prepareUpdate: (crd, old) => {
    const known = asCrd(old).status?.storedVersions ?? [];
    crd.status = { ...old.status, storedVersions: [...new Set([...known, ...storageVersions(crd)])] };
  },
  validate: crdErrors,
};

function fillIn(crd: KubernetesObject): void {
  const { spec } = crd;
  const misshapen = spec === undefined ? undefined : misshapenField(spec);
  if (misshapen !== undefined) {
    throw badRequestError(
      `CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: ${misshapen}`,
    );
  }
  if (!isJsonObject(spec) || !isJsonObject(spec["names"])) return;
  const names = spec["names"] as Partial<CrdNames>; // Validation follows; here only gaps are filled.
  if (!names.singular && names.kind) names.singular = names.kind.toLowerCase();
  if (!names.listKind && names.kind) names.listKind = `${names.kind}List`;
  spec["conversion"] ??= { strategy: "None" };
  if (!Array.isArray(spec["versions"])) return;
  for (const version of spec["versions"] as Partial<CrdSpec["versions"][number]>[]) {
    version.served ??= false;
    version.storage ??= false;
  }
}

function storageVersions(crd: KubernetesObject): string[] {
  const versions = isJsonObject(crd.spec) ? crd.spec["versions"] : undefined;
  if (!Array.isArray(versions)) return [];
  return versions
    .filter((version: unknown) => isJsonObject(version) && version["storage"] === true)
    .map((version: { name: string }) => version.name);
}
