import { CelError } from "@/server/sandbox/crd/cel/cel-error";
import { bool, type CelType, dyn, fits, string } from "@/server/sandbox/crd/cel/cel-type";
import {
  type Compiled,
  compileNode,
  fieldOf,
  type Scope,
  type Variables,
} from "@/server/sandbox/crd/cel/compile-expression";
import { type Node } from "@/server/sandbox/crd/cel/parse";
import { adapt } from "@/server/sandbox/crd/cel/values";

type Call = Extract<Node, { op: "call" }>;

/** `has()` and the macros over lists and maps; null when the call is none of them. */
export function compileMacro(node: Call, scope: Scope): Compiled | null {
  if (node.name === "has" && node.target === null) return presence(node, scope);
  const macro = node.target ? macros[node.name] : undefined;
  const [name, ...bodies] = node.args;
  if (!macro || !node.target || !macro.arity.includes(node.args.length)) return null;
  if (name?.op !== "name") throw new CelError(scope.source, name?.at ?? node.at, "argument must be a simple name");
  const over = compileNode(node.target, scope);
  const element = elementType(over.type);
  if (element === null)
    throw new CelError(
      scope.source,
      node.target.at,
      `expression of type '${over.type.name}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
  const inner: Scope = { ...scope, types: new Map([...scope.types, [name.name, element]]) };
  const compiled = bodies.map((body) => compileNode(body, inner));
  const [first, second] = compiled;
  if (!first) return null;
  if (macro.tests(node.args.length) && !fits(first.type, bool)) {
    throw new CelError(scope.source, bodies[0]?.at ?? node.at, `expected type 'bool' but found '${first.type.name}'`);
  }
  const run = (variables: Variables) => {
    const items = itemsOf(over.run(variables)).map((item) => adapt(element, item));
    const apply = (body: Compiled) => (item: unknown) => body.run({ ...variables, [name.name]: item });
    return macro.run(items, apply(first), second ? apply(second) : null);
  };
  return { type: macro.gives(over.type, (second ?? first).type), run };
}

type Body = (item: unknown) => unknown;

type Macro = {
  arity: readonly number[];
  tests: (arity: number) => boolean;
  gives: (over: CelType, body: CelType) => CelType;
  run: (items: unknown[], body: Body, second: Body | null) => unknown;
};

const macros: Record<string, Macro> = {
  all: { arity: [2], tests: () => true, gives: () => bool, run: (items, body) => decides(items, body, false) },
  exists: { arity: [2], tests: () => true, gives: () => bool, run: (items, body) => decides(items, body, true) },
  exists_one: {
    arity: [2],
    tests: () => true,
    gives: () => bool,
    run: (items, body) => items.filter((item) => body(item) === true).length === 1,
  },
  filter: {
    arity: [2],
    tests: () => true,
    gives: (over) => (over.name === "map" ? { name: "list", of: string } : over),
    run: (items, body) => items.filter((item) => body(item) === true),
  },
  map: {
    arity: [2, 3],
    tests: (arity) => arity === 3,
    gives: (_, of) => ({ name: "list", of }),
    run: (items, body, second) =>
      second === null ? items.map(body) : items.filter((item) => body(item) === true).map(second),
  },
};

/** `all` ends at the first false, `exists` at the first true; an item that fails only matters if none decides. */
function decides(items: readonly unknown[], body: Body, decisive: boolean): boolean {
  let failure: unknown = null;
  for (const item of items) {
    try {
      if (body(item) === decisive) return decisive;
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== null) throw failure instanceof Error ? failure : new Error("rule failed");
  return !decisive;
}

function elementType(over: CelType): CelType | null {
  if (over.name === "list") return over.of;
  if (over.name === "map") return string;
  return over.name === "dyn" ? dyn : null;
}

function itemsOf(over: unknown): unknown[] {
  if (Array.isArray(over)) return over;
  if (typeof over === "object" && over !== null) return Object.keys(over);
  throw new Error("no such overload");
}

function presence(node: Call, scope: Scope): Compiled {
  const [argument] = node.args;
  if (argument?.op !== "select" || node.args.length !== 1)
    throw new CelError(scope.source, node.at, "invalid argument to has() macro");
  const of = compileNode(argument.of, scope);
  const { property } = fieldOf(argument, of.type, scope);
  const run = (variables: Variables) => {
    const holder = of.run(variables);
    return typeof holder === "object" && holder !== null && Object.hasOwn(holder, property);
  };
  return { type: bool, run };
}
