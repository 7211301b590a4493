import { type KubernetesObject } from "@/server/kubernetes/object";
import { partialMetadata } from "@/server/sandbox/table/partial-metadata";
import { type Column, type ResourceType } from "@/server/sandbox/type-registry";

/** How a client wants objects: whole, as rows of a table, or their metadata alone. */
export type Form = "object" | "table" | "metadata";

/** The first form in an Accept header that we know. */
export function wantedForm(accept: string | undefined): Form {
  for (const clause of (accept ?? "").split(",")) {
    const as = /;\s*as=(?<form>\w+)/.exec(clause)?.groups?.["form"];
    if (as === "Table") return "table";
    if (as?.startsWith("PartialObjectMetadata")) return "metadata";
    if (as === undefined && /^\s*(application\/(json|\*|yaml)|\*\/\*)/.test(clause)) return "object";
  }
  return "object";
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
