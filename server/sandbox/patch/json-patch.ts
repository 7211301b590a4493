import { cloneJson, equalJson, isRecord, setKey, textOf } from "@/server/sandbox/json";
import { badRequestError, entityTooLargeError, StatusError } from "@/server/sandbox/status-error";

type Operation = { op: string; path: string; from?: string; value?: unknown };

/** RFC 6902, with the words that Kubernetes uses when an operation cannot be carried out. */
export function jsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch))
    throw badRequestError("error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch");
  if (patch.length > OPERATIONS_MAX)
    throw entityTooLargeError(
      `The allowed maximum operations in a JSON patch is ${OPERATIONS_MAX}, got ${patch.length}`,
    );
  let document = cloneJson(target);
  let copiedBytes = 0;
  for (const raw of patch) {
    const operation = operationOf(raw);
    const apply = Object.hasOwn(operations, operation.op) ? operations[operation.op] : undefined;
    if (!apply) throw refused(`Unexpected kind: ${operation.op}`);
    // Ever larger copies of copies double with each operation.
    if (operation.op === "copy") copiedBytes += JSON.stringify(valueAt(document, operation.from ?? "", "copy")).length;
    if (copiedBytes > COPIED_BYTES_MAX) throw refused(copiesTooLarge(copiedBytes));
    document = apply(document, operation);
  }
  return document;
}

const OPERATIONS_MAX = 10_000;
const COPIED_BYTES_MAX = 3 * 1_024 * 1_024;

function copiesTooLarge(bytes: number): string {
  return `Unable to complete the copy, the accumulated size increase of copy is ${bytes}, exceeding the limit ${COPIED_BYTES_MAX}`;
}

const operations: Readonly<Record<string, (document: unknown, operation: Operation) => unknown>> = {
  add: (document, { path, value }) => added(document, path, cloneJson(value)),
  remove: (document, { path }) => removed(document, path),
  replace(document, { path, value }) {
    if (path === "") return cloneJson(value);
    valueAt(document, path, "replace");
    const { parent, key } = parentOf(document, path, "replace");
    if (Array.isArray(parent)) parent[Number(key)] = cloneJson(value);
    else setKey(parent, key, cloneJson(value));
    return document;
  },
  move(document, { path, from = "" }) {
    const value = valueAt(document, from, "move");
    return added(removed(document, from), path, value);
  },
  copy: (document, { path, from = "" }) => added(document, path, cloneJson(valueAt(document, from, "copy"))),
  test(document, { path, value }) {
    const found = findAt(document, path);
    if (!equalJson(found === undefined ? null : found, value ?? null))
      throw refused(`testing value ${path} failed: test failed`);
    return document;
  },
};

function added(document: unknown, path: string, value: unknown): unknown {
  if (path === "") return value;
  const { parent, key } = parentOf(document, path, "add");
  if (!Array.isArray(parent)) {
    setKey(parent, key, value);
    return document;
  }
  const at = key === "-" ? parent.length : indexIn(parent, key, path, "add", parent.length);
  parent.splice(at, 0, value);
  return document;
}

function removed(document: unknown, path: string): unknown {
  const { parent, key } = parentOf(document, path, "remove");
  if (Array.isArray(parent)) {
    parent.splice(indexIn(parent, key, path, "remove", parent.length - 1), 1);
    return document;
  }
  if (!Object.hasOwn(parent, key))
    throw refused(`remove operation does not apply: doc is missing key: ${path}: missing value`);
  Reflect.deleteProperty(parent, key);
  return document;
}

function valueAt(document: unknown, path: string, op: string): unknown {
  const found = findAt(document, path);
  if (found === undefined) throw refused(`${op} operation does not apply: doc is missing key: ${path}: missing value`);
  return found;
}

function findAt(document: unknown, path: string): unknown {
  let at: unknown = document;
  for (const key of keysOf(path)) {
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isRecord(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}

function parentOf(
  document: unknown,
  path: string,
  op: string,
): { parent: unknown[] | Record<string, unknown>; key: string } {
  const keys = keysOf(path);
  const key = keys.pop() ?? "";
  const parent = findAt(document, keys.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""));
  if (Array.isArray(parent) || isRecord(parent)) return { parent, key };
  throw refused(`${op} operation does not apply: doc is missing path: "${path}": missing value`);
}

function indexIn(list: readonly unknown[], key: string, path: string, op: string, max: number): number {
  const index = /^(0|-?[1-9][0-9]*)$/.test(key) ? Number(key) : Number.NaN;
  const at = index < 0 ? list.length + index : index;
  if (Number.isNaN(at) || at < 0 || at > max) {
    throw refused(
      `${op} operation does not apply: error in ${op} for path: '${path}': Unable to access invalid index: ${key}: invalid index referenced`,
    );
  }
  return at;
}

function keysOf(path: string): string[] {
  return path === ""
    ? []
    : path
        .split("/")
        .slice(1)
        .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function operationOf(raw: unknown): Operation {
  if (!isRecord(raw))
    throw badRequestError("error decoding patch: json: cannot unmarshal into Go value of type jsonpatch.Operation");
  const { op, path, from, value } = raw;
  return { op: textOf(op), path: textOf(path), ...(from === undefined ? {} : { from: textOf(from) }), value };
}

function refused(why: string): StatusError {
  return new StatusError(422, "Invalid", `the server rejected our request due to an error in our request: ${why}`, {});
}
