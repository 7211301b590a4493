import { type Call } from "@/server/sandbox/http/call";
import { type ResourceType } from "@/server/sandbox/type-registry";

/** The version of a resource in which its objects are stored. */
export function storedType({ cluster, type }: Pick<Call, "cluster" | "type">): ResourceType {
  const dot = type.storageKey.indexOf(".");
  if (dot < 0) return cluster.types.of({ group: "", plural: type.storageKey });
  return cluster.types.of({ group: type.storageKey.slice(dot + 1), plural: type.storageKey.slice(0, dot) });
}
