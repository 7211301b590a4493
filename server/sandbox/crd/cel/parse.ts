import { CelError } from "@/server/sandbox/crd/cel/cel-error";
import { type Token, tokenize } from "@/server/sandbox/crd/cel/tokenize";

export type Node = { at: number } & (
  | { op: "literal"; type: "int" | "double" | "string" | "bool" | "null"; value: unknown }
  | { op: "name"; name: string }
  | { op: "select"; of: Node; field: string }
  | { op: "index"; of: Node; key: Node }
  | { op: "call"; name: string; target: Node | null; args: Node[] }
  | { op: "and" | "or"; left: Node; right: Node }
  | { op: "choose"; when: Node; then: Node; otherwise: Node }
  | { op: "list"; items: Node[] }
  | { op: "map"; entries: { key: Node; value: Node }[] }
);

const DEPTH_MAX = 250;
/** A chain of operators is as deep a tree as it is long. */
const TOKENS_MAX = 2_000;

/** An expression as a tree. Operators are calls of `_+_`, `!_` … so that one table serves all. */
export function parse(source: string): Node {
  const tokens = tokenize(source);
  if (tokens.length > TOKENS_MAX)
    throw new CelError(source, 0, `expression size exceeds limit: size: ${tokens.length}, limit ${TOKENS_MAX}`);
  let position = 0;
  let depth = 0;
  const peek = () => tokens[position] as Token; // The last token is the end, and it is never passed.
  const next = () => tokens[position < tokens.length - 1 ? position++ : position] as Token; // As above.
  const isOperator = (...texts: string[]) => peek().kind === "operator" && texts.includes(peek().text);
  const accept = (text: string) => (isOperator(text) ? next() : null);
  const fail = (token: Token): never => {
    throw new CelError(source, token.at, `Syntax error: mismatched input '${token.text}'`);
  };
  const expect = (text: string) => accept(text) ?? fail(peek());

  function expression(): Node {
    const when = disjunction();
    const mark = accept("?");
    if (!mark) return when;
    const then = disjunction();
    expect(":");
    return { op: "choose", at: mark.at, when, then, otherwise: deeper(expression) };
  }

  function logical(op: "and" | "or", text: string, operand: () => Node): Node {
    let left = operand();
    for (let token = accept(text); token; token = accept(text)) left = { op, at: token.at, left, right: operand() };
    return left;
  }
  const disjunction = (): Node => logical("or", "||", conjunction);
  const conjunction = (): Node => logical("and", "&&", relation);

  function binary(texts: string[], operand: () => Node): Node {
    let left = operand();
    for (;;) {
      const isIn = texts.includes("in") && peek().kind === "name" && peek().text === "in";
      if (!isIn && !isOperator(...texts)) return left;
      const token = next();
      left = {
        op: "call",
        at: token.at,
        name: isIn ? "@in" : `_${token.text}_`,
        target: null,
        args: [left, operand()],
      };
    }
  }
  const relation = (): Node => binary(["==", "!=", "<", "<=", ">", ">=", "in"], sum);
  const sum = (): Node => binary(["+", "-"], product);
  const product = (): Node => binary(["*", "/", "%"], unary);

  /** Whatever nests comes through here. */
  function deeper(build: () => Node): Node {
    depth += 1;
    if (depth > DEPTH_MAX) throw new CelError(source, peek().at, `expression recursion limit exceeded: ${DEPTH_MAX}`);
    const built = build();
    depth -= 1;
    return built;
  }

  const unary = (): Node => deeper(signed);

  function signed(): Node {
    const token = accept("!") ?? accept("-");
    if (!token) return member();
    const operand = unary();
    if (token.text === "-" && operand.op === "literal" && typeof operand.value === "number") {
      return { ...operand, at: token.at, value: -operand.value };
    }
    return { op: "call", at: token.at, name: token.text === "!" ? "!_" : "-_", target: null, args: [operand] };
  }

  function member(): Node {
    let of = primary();
    for (;;) {
      const dot = accept(".");
      const bracket = dot ? null : accept("[");
      if (dot) of = selection(of, dot);
      else if (bracket) {
        of = { op: "index", at: bracket.at, of, key: expression() };
        expect("]");
      } else return of;
    }
  }

  function selection(of: Node, dot: Token): Node {
    const name = peek().kind === "name" ? next() : fail(peek());
    const open = accept("(");
    if (!open) return { op: "select", at: dot.at, of, field: name.text };
    return { op: "call", at: open.at, name: name.text, target: of, args: list(")") };
  }

  function list(close: string): Node[] {
    const items: Node[] = [];
    while (!accept(close)) {
      items.push(expression());
      if (!accept(",") && !isOperator(close)) fail(peek());
    }
    return items;
  }

  function primary(): Node {
    const token = next();
    const { at, text, value, kind } = token;
    if (kind === "int" || kind === "double" || kind === "string") return { op: "literal", at, type: kind, value };
    if (kind === "name") return named(token);
    if (text === "[") return { op: "list", at, items: list("]") };
    if (text === "{") return { op: "map", at, entries: mapEntries() };
    if (text !== "(") return fail(token);
    const inner = expression();
    expect(")");
    return inner;
  }

  function mapEntries(): { key: Node; value: Node }[] {
    const entries: { key: Node; value: Node }[] = [];
    while (!accept("}")) {
      const key = expression();
      expect(":");
      entries.push({ key, value: expression() });
      if (!accept(",") && !isOperator("}")) fail(peek());
    }
    return entries;
  }

  function named({ text, at }: Token): Node {
    if (text === "true" || text === "false") return { op: "literal", at, type: "bool", value: text === "true" };
    if (text === "null") return { op: "literal", at, type: "null", value: null };
    const open = accept("(");
    return open
      ? { op: "call", at: open.at, name: text, target: null, args: list(")") }
      : { op: "name", at, name: text };
  }

  const root = expression();
  if (peek().kind !== "end") fail(peek());
  return root;
}
