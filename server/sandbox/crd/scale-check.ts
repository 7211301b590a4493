import { type KubernetesObject } from "@/server/kubernetes/object";
import { type CrdVersion } from "@/server/sandbox/crd/custom-resource-definition";
import { compileJsonPath } from "@/server/sandbox/crd/json-path";
import { type FieldError, invalid } from "@/server/sandbox/field-error";

const most = 2 ** 31 - 1;

/** Where a definition says that replicas are, there must be a count of them. */
export function compileScaleCheck({ subresources }: CrdVersion): (object: KubernetesObject) => FieldError[] {
  const scale = subresources?.scale;
  if (!scale) return () => [];
  const paths = [scale.specReplicasPath, scale.statusReplicasPath].map((path) => ({
    path,
    read: compileJsonPath(path),
  }));
  return (object) => paths.flatMap(({ path, read }) => read(object).flatMap((value) => countErrors(path, value)));
}

function countErrors(path: string, value: unknown): FieldError[] {
  // The schema speaks of other types; only a number can be a wrong count.
  if (typeof value !== "number") return [];
  if (value < 0) return [invalid(path, value, "should be a non-negative integer")];
  return value > most ? [invalid(path, value, `should be less than or equal to ${most}`)] : [];
}
