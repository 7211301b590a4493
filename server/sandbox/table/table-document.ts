import { type KubernetesObject } from "@/server/kubernetes/object";
import { partialMetadata } from "@/server/sandbox/table/partial-metadata";
import { mediaTypes, notAcceptableError } from "@/server/sandbox/status-error";
import { type Column, type ResourceType } from "@/server/sandbox/type-registry";

/** How a client wants objects: whole, as rows of a table, or their metadata alone. */
export type Form = "object" | "table" | "metadata";

/** The first form in an Accept header that we know; 406 when there is none. Whoever reads protobuf or YAML reads our JSON too. */
export function wantedForm(accept = ""): Form {
  if (accept === "" || accept === "application/json") return "object";
  for (const clause of accept.split(",")) {
    if (!/^\s*(application\/(json|\*|yaml|vnd\.kubernetes\.protobuf)|\*\/\*)\s*(;|$)/.test(clause)) continue;
    const as = /;\s*as=(?<form>\w+)/.exec(clause)?.groups?.["form"];
    if (as === undefined) return "object";
    if (as === "Table") return "table";
    if (as.startsWith("PartialObjectMetadata")) return "metadata";
  }
  throw notAcceptableError(mediaTypes);
}

type TableOptions = {
  now: number;
  /** The query parameter includeObject: what goes with each row. */
  include: string | null;
  metadata: Record<string, unknown>;
  /** Events of a watch carry the columns once. */
  withoutColumns?: boolean;
};

/** A meta.k8s.io Table: what `kubectl get` prints. */
export function tableDocument(type: ResourceType, objects: readonly KubernetesObject[], options: TableOptions) {
  const columns = type.strategy.columns ?? defaultColumns;
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: options.metadata,
    columnDefinitions: options.withoutColumns ? [] : columns.map(definitionOf),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, options.now)),
      ...included(object, options.include),
    })),
  };
}

function included(object: KubernetesObject, include: string | null): { object?: unknown } {
  if (include === "None") return {};
  return { object: include === "Object" ? object : partialMetadata(object) };
}

function definitionOf({ name, type, format = "", description = "", priority = 0 }: Column) {
  return { name, type, format, description, priority };
}

const defaultColumns: readonly Column[] = [
  { name: "Name", type: "string", format: "name", cell: ({ metadata }) => metadata.name },
  { name: "Created At", type: "date", cell: ({ metadata }) => metadata.creationTimestamp ?? "" },
];
