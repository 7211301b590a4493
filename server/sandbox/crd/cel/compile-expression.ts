import { CelError } from "@/server/sandbox/crd/cel/cel-error";
import { bool, type CelType, dyn, fits, string, typeText } from "@/server/sandbox/crd/cel/cel-type";
import { globalFunctions, memberFunctions, type Overload, overloadFor } from "@/server/sandbox/crd/cel/functions";
import { compileMacro } from "@/server/sandbox/crd/cel/macros";
import { type Node, parse } from "@/server/sandbox/crd/cel/parse";
import { adapt } from "@/server/sandbox/crd/cel/values";

export type Variables = Readonly<Record<string, unknown>>;
export type Compiled = { type: CelType; run: (variables: Variables) => unknown };
export type Scope = { source: string; types: ReadonlyMap<string, CelType>; uses: Set<string> };

/** Checks an expression against the types of its variables and makes a function of it. Throws CelError. */
export function compileExpression(
  source: string,
  types: ReadonlyMap<string, CelType>,
): Compiled & { uses: ReadonlySet<string> } {
  const uses = new Set<string>();
  return { ...compileNode(parse(source), { source, types, uses }), uses };
}

export function compileNode(node: Node, scope: Scope): Compiled {
  if (node.op === "literal") return literal(node);
  if (node.op === "name") return variable(node, scope);
  if (node.op === "select") return selection(node, scope);
  if (node.op === "index") return indexing(node, scope);
  if (node.op === "call") return compileMacro(node, scope) ?? call(node, scope);
  if (node.op === "choose") return choice(node, scope);
  if (node.op === "list") return list(node, scope);
  if (node.op === "map") return map(node, scope);
  return logical(node, scope);
}

type Of<Op extends Node["op"]> = Extract<Node, { op: Op }>;

function literal({ type, value }: Of<"literal">): Compiled {
  return { type: { name: type === "null" ? "null_type" : type }, run: () => value };
}

function variable({ name, at }: Of<"name">, scope: Scope): Compiled {
  const type = scope.types.get(name);
  if (!type) throw new CelError(scope.source, at, `undeclared reference to '${name}' (in container '')`);
  scope.uses.add(name);
  return { type, run: (variables) => adapt(type, variables[name]) };
}

/** The type and the JSON name of a field, or a compile error that names it. */
export function fieldOf(node: Of<"select">, of: CelType, scope: Scope): { type: CelType; property: string } {
  if (of.name === "dyn") return { type: dyn, property: node.field };
  if (of.name === "map") return { type: of.of, property: node.field };
  const field = of.name === "object" ? of.fields.get(node.field) : undefined;
  if (field) return field;
  const problem =
    of.name === "object"
      ? `undefined field '${node.field}'`
      : `type '${typeText(of)}' does not support field selection`;
  throw new CelError(scope.source, node.at, problem);
}

function selection(node: Of<"select">, scope: Scope): Compiled {
  const of = compileNode(node.of, scope);
  const { type, property } = fieldOf(node, of.type, scope);
  return { type, run: (variables) => adapt(type, member(of.run(variables), property)) };
}

function member(holder: unknown, key: unknown): unknown {
  if (Array.isArray(holder)) {
    const found: unknown = typeof key === "number" ? holder[key] : undefined;
    if (found === undefined) throw new Error(`index out of bounds: ${String(key)}`);
    return found;
  }
  const isHolder = typeof holder === "object" && holder !== null;
  if (!isHolder) throw new Error("no such overload");
  if (!Object.hasOwn(holder, String(key))) throw new Error(`no such key: ${String(key)}`);
  return (holder as Record<string, unknown>)[String(key)]; // An object was established above.
}

function indexing(node: Of<"index">, scope: Scope): Compiled {
  const of = compileNode(node.of, scope);
  const key = compileNode(node.key, scope);
  const wanted: CelType | null =
    of.type.name === "list" ? { name: "int" } : of.type.name === "map" ? string : of.type.name === "dyn" ? dyn : null;
  if (wanted === null || !fits(key.type, wanted)) throw noOverload("_[_]", [of.type, key.type], node.at, scope);
  const type = of.type.name === "list" || of.type.name === "map" ? of.type.of : dyn;
  return { type, run: (variables) => adapt(type, member(of.run(variables), key.run(variables))) };
}

function noOverload(name: string, types: readonly CelType[], at: number, scope: Scope): CelError {
  return new CelError(
    scope.source,
    at,
    `found no matching overload for '${name}' applied to '(${types.map(typeText).join(", ")})'`,
  );
}

function call(node: Of<"call">, scope: Scope): Compiled {
  const table = node.target ? memberFunctions : globalFunctions;
  const overloads = table.get(node.name);
  if (!overloads) throw new CelError(scope.source, node.at, `undeclared reference to '${node.name}' (in container '')`);
  const args = [...(node.target ? [node.target] : []), ...node.args].map((arg) => compileNode(arg, scope));
  const types = args.map((arg) => arg.type);
  const overload = overloadFor(overloads, types);
  if (!overload) throw noOverload(node.name, types, node.at, scope);
  const type = typeof overload.gives === "function" ? overload.gives(types) : overload.gives;
  const invoke = overload.run as (...values: unknown[]) => unknown; // The types were matched against `takes`.
  return {
    type,
    run: (variables) => invoke(...args.map((arg, index) => checked(arg.run(variables), arg.type, overload, index))),
  };
}

const jsType: Partial<Record<CelType["name"], string>> = {
  int: "number",
  double: "number",
  string: "string",
  bool: "boolean",
};

/** What the compiler could not know of a dynamic argument is checked as it comes. */
function checked(value: unknown, type: CelType, overload: Overload, index: number): unknown {
  if (type.name !== "dyn") return value;
  const wanted = jsType[overload.takes[index]?.name ?? "dyn"];
  if (wanted === undefined || typeof value === wanted || overload.run.length === 2) return value;
  throw new Error("no such overload");
}

function choice(node: Of<"choose">, scope: Scope): Compiled {
  const [when, then, otherwise] = [node.when, node.then, node.otherwise].map((part) => compileNode(part, scope));
  if (!when || !then || !otherwise) throw new CelError(scope.source, node.at, "incomplete conditional");
  const types = [when.type, then.type, otherwise.type];
  if (!fits(when.type, bool) || !fits(then.type, otherwise.type)) throw noOverload("_?_:_", types, node.at, scope);
  return {
    type: then.type.name === "dyn" ? otherwise.type : then.type,
    run: (variables) => (when.run(variables) === true ? then : otherwise).run(variables),
  };
}

function list(node: Of<"list">, scope: Scope): Compiled {
  const items = node.items.map((item) => compileNode(item, scope));
  const [first] = items;
  const of = first && items.every((item) => item.type.name === first.type.name) ? first.type : dyn;
  return { type: { name: "list", of }, run: (variables) => items.map((item) => item.run(variables)) };
}

function map(node: Of<"map">, scope: Scope): Compiled {
  const entries = node.entries.map(({ key, value }) => ({
    key: compileNode(key, scope),
    value: compileNode(value, scope),
  }));
  const run = (variables: Variables) =>
    Object.fromEntries(entries.map(({ key, value }) => [String(key.run(variables)), value.run(variables)]));
  return { type: { name: "map", of: entries[0]?.value.type ?? dyn }, run };
}

/** A side that decides alone wins, even when the other one fails. */
function logical(node: Of<"and" | "or">, scope: Scope): Compiled {
  const left = compileNode(node.left, scope);
  const right = compileNode(node.right, scope);
  const name = node.op === "and" ? "_&&_" : "_||_";
  if (!fits(left.type, bool) || !fits(right.type, bool))
    throw noOverload(name, [left.type, right.type], node.at, scope);
  const decisive = node.op === "or";
  const run = (variables: Variables) => {
    let first: unknown;
    try {
      first = left.run(variables);
    } catch (error) {
      if (right.run(variables) === decisive) return decisive;
      throw error;
    }
    return first === decisive ? decisive : right.run(variables);
  };
  return { type: bool, run };
}
