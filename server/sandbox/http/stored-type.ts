import { type Call } from "@/server/sandbox/http/call";
import { tableOf } from "@/server/sandbox/schema/builtin-messages";
import { type ResourceType } from "@/server/sandbox/type-registry";

/** The version in which an object is checked and stored: for custom resources, that of the request. */
export function storedType({ cluster, type }: Pick<Call, "cluster" | "type">): ResourceType {
  if (!tableOf(type.group, type.version)) return type;
  const dot = type.storageKey.indexOf(".");
  if (dot < 0) return cluster.types.of({ group: "", plural: type.storageKey });
  return cluster.types.of({ group: type.storageKey.slice(dot + 1), plural: type.storageKey.slice(0, dot) });
}
