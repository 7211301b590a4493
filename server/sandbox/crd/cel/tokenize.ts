import { CelError } from "@/server/sandbox/crd/cel/cel-error";

export type Token = {
  kind: "int" | "double" | "string" | "name" | "operator" | "end";
  text: string;
  /** The decoded value of a literal. */
  value: unknown;
  at: number;
};

const spaces = /(?:\s+|\/\/[^\n]*)+/y;
const doubles = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const ints = /(?:0[xX][0-9a-fA-F]+|\d+)/y;
const strings = /([rR]?)("""[^]*?"""|'''[^]*?'''|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*')/y;
const names = /[A-Za-z_][A-Za-z0-9_]*/y;
const operators = /(?:&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()[\]{}])/y;

/** The words of a CEL expression, with their place in it. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  const take = (kind: Token["kind"], text: string, value: unknown) => {
    tokens.push({ kind, text, value, at });
    at += text.length;
  };
  while (at < source.length) {
    const space = match(spaces);
    if (space) {
      at += space[0].length;
      continue;
    }
    const text = match(strings);
    const double = match(doubles);
    const int = match(ints);
    const word = match(names) ?? match(operators);
    if (text) take("string", text[0], unquote(String(text[2]), text[1] !== ""));
    else if (double) take("double", double[0], Number(double[0]));
    else if (int) take("int", int[0], Number(int[0]));
    else if (word) take(/^\w/.test(word[0]) ? "name" : "operator", word[0], null);
    else throw new CelError(source, at, `Syntax error: token recognition error at: '${String(source[at])}'`);
  }
  tokens.push({ kind: "end", text: "<EOF>", value: null, at });
  return tokens;
}

const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t", a: "\u0007", b: "\b", f: "\f", v: "\v" };

function unquote(literal: string, raw: boolean): string {
  const width = literal.startsWith('"""') || literal.startsWith("'''") ? 3 : 1;
  const body = literal.slice(width, -width);
  if (raw) return body;
  return body.replace(/\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[0-7]{3}|[^])/g, (_, code: string) => {
    if (/^[uUx]./.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]{3}$/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8));
    return escapes[code] ?? code;
  });
}
