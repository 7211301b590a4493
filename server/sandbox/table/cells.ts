import { type KubernetesObject } from "@/server/kubernetes/object";
import { ageOf } from "@/server/sandbox/crd/age";
import { isRecord, listOf, recordOf, textOf } from "@/server/sandbox/json";
import { type Column } from "@/server/sandbox/type-registry";

type Cell = Column["cell"];

/** `status.loadBalancer.ingress`: a field by its path, undefined when the way there ends early. */
export function at(object: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);
}

/** A string, number or boolean as text; anything else as nothing. */
export function shown(value: unknown, otherwise = ""): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : otherwise;
}

export function textAt(path: string, otherwise = ""): Cell {
  return (object) => textOf(at(object, path)) || otherwise;
}

export function numberAt(object: unknown, path: string): number {
  const value = at(object, path);
  return typeof value === "number" ? value : 0;
}

export function countAt(path: string): Cell {
  return (object) => numberAt(object, path);
}

/** How many entries a map or a list has. */
export function sizeAt(path: string): Cell {
  return (object) => {
    const value = at(object, path);
    return Array.isArray(value) ? value.length : Object.keys(recordOf(value)).length;
  };
}

export function since(time: unknown, now: number): string {
  const ms = Date.parse(textOf(time));
  return Number.isNaN(ms) ? "<unknown>" : ageOf(now - ms);
}

export const name: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "The name of the object.",
  cell: ({ metadata }) => metadata.name,
};

export const age: Column = {
  name: "Age",
  type: "string",
  description: "How long ago the object was created.",
  cell: ({ metadata }, now) => since(metadata.creationTimestamp, now),
};

export function column(title: string, cell: Cell, type: Column["type"] = "string"): Column {
  return { name: title, type, cell };
}

/** Shown with -o wide only. */
export function wide(title: string, cell: Cell): Column {
  return { name: title, type: "string", priority: 1, cell };
}

export function labelsShown(labels: unknown): string {
  const shown = Object.entries(recordOf(labels)).map(([key, value]) => `${key}=${String(value)}`);
  return shown.length > 0 ? shown.join(",") : "<none>";
}

export function selectorShown(selector: unknown): string {
  const { matchLabels, matchExpressions } = recordOf(selector);
  const terms = listOf(matchExpressions).map((term) => {
    const { key, operator, values } = recordOf(term);
    const list = listOf(values).map(textOf).join(",");
    return `${textOf(key)} ${textOf(operator).toLowerCase()}${list === "" ? "" : ` (${list})`}`;
  });
  const labels = Object.entries(recordOf(matchLabels)).map(([key, value]) => `${key}=${String(value)}`);
  return [...labels, ...terms].join(",") || "<none>";
}

/** Containers and images of a workload's template. */
export const templateColumns: readonly Column[] = [
  wide("Containers", (object) =>
    containersOf(object)
      .map(({ name: title }) => textOf(title))
      .join(","),
  ),
  wide("Images", (object) =>
    containersOf(object)
      .map(({ image }) => textOf(image))
      .join(","),
  ),
];

function containersOf(object: KubernetesObject): Record<string, unknown>[] {
  return listOf(at(object, "spec.template.spec.containers")).map(recordOf);
}
