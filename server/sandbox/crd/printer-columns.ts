import { own } from "@/server/sandbox/json";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type CrdVersion, type PrinterColumn } from "@/server/sandbox/crd/custom-resource-definition";
import { compileJsonPath, type ReadPath } from "@/server/sandbox/crd/json-path";
import { type Column } from "@/server/sandbox/type-registry";
import { ageOf } from "@/server/sandbox/crd/age";

const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name must be unique within a namespace.",
  cell: ({ metadata }) => metadata.name,
};

const ageColumn: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** What `kubectl get` shows of a custom resource: its name, then its columns, or its age where it has none. */
export function printerColumns({ additionalPrinterColumns }: CrdVersion): Column[] {
  const columns = additionalPrinterColumns?.length ? additionalPrinterColumns : [ageColumn];
  return [nameColumn, ...columns.map(columnOf)];
}

function columnOf({ name, type, format, description, priority, jsonPath }: PrinterColumn): Column {
  const read = compileJsonPath(jsonPath);
  const show = own(cells, type) ?? shownText;
  return {
    name,
    type: type as Column["type"], // The definition was checked against the five types when it was stored.
    format: format ?? "",
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: priority ?? 0,
    cell: (object, now) => cellOf(read, show, object, now),
  };
}

type Show = (value: unknown, now: number) => string | number | boolean | null;

function cellOf(read: ReadPath, show: Show, object: KubernetesObject, now: number) {
  const [first, ...more] = read(object).filter((value) => value !== null && value !== undefined);
  if (first === undefined) return null;
  return show === shownText && more.length > 0 ? [first, ...more].map(plain).join(" ") : show(first, now);
}

const shownText: Show = (value) => plain(value);

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const cells: Record<string, Show> = {
  integer: (value) => (typeof value === "number" ? Math.trunc(value) : null),
  number: (value) => (typeof value === "number" ? value : null),
  boolean: (value) => (typeof value === "boolean" ? value : null),
  date: (value, now) => {
    const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
    return Number.isNaN(at) ? "<invalid>" : ageOf(now - at);
  },
};
