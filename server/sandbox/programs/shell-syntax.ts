/** A command line as the shell understands it. */
export type Node =
  | { type: "list"; items: { node: Node; background: boolean }[] }
  | { type: "chain"; operator: "&&" | "||"; left: Node; right: Node }
  | { type: "pipe"; commands: Node[]; negate: boolean }
  | { type: "simple"; assignments: { name: string; value: Word }[]; words: Word[]; redirects: Redirect[] }
  | { type: "loop"; until: boolean; test: Node; body: Node; redirects: Redirect[] }
  | { type: "for"; name: string; words: Word[]; body: Node }
  | { type: "if"; branches: { test: Node; body: Node }[]; otherwise: Node | null }
  | { type: "group"; subshell: boolean; body: Node; redirects: Redirect[] };

export type Redirect = { from: number; mode: ">" | ">>" | "<"; to: Word } | { from: number; mode: "&"; to: number };

/** Pieces of one word. What is quoted is not split into several words. */
export type Word = Piece[];
export type Piece =
  | { type: "text"; text: string; quoted: boolean }
  | { type: "variable"; name: string; fallback: { operator: string; text: string } | null; quoted: boolean }
  | { type: "command"; script: string; quoted: boolean }
  | { type: "arithmetic"; expression: string; quoted: boolean };

export type Token =
  | { type: "word"; word: Word; raw: string }
  | { type: "operator"; text: string }
  | { type: "redirect"; from: number; mode: ">" | ">>" | "<" | ">&" };

export class ShellSyntaxError extends Error {}

const OPERATORS = ["&&", "||", ";;", ";", "&", "|", "(", ")", "\n"];

export function tokenize(script: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < script.length) {
    const rest = script.slice(at);
    const blank = /^([ \t]+|\\\n|#[^\n]*)/.exec(rest);
    if (blank) {
      at += blank[0].length;
      continue;
    }
    const redirect = /^([0-9]?)(>>|>&|>|<)/.exec(rest);
    if (redirect) {
      const mode = redirect[2] as ">" | ">>" | "<" | ">&"; // the pattern allows no other
      tokens.push({ type: "redirect", from: redirect[1] ? Number(redirect[1]) : mode === "<" ? 0 : 1, mode });
      at += redirect[0].length;
      continue;
    }
    const operator = OPERATORS.find((text) => rest.startsWith(text));
    if (operator) {
      tokens.push({ type: "operator", text: operator === "\n" ? ";" : operator });
      at += operator.length;
      continue;
    }
    const { word, length } = readWord(rest);
    tokens.push({ type: "word", word, raw: rest.slice(0, length) });
    at += length;
  }
  return tokens;
}

function readWord(text: string): { word: Word; length: number } {
  const word: Word = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (/[ \t\n;&|()<>]/.test(char)) break;
    if (char === "'") {
      const end = closing(text, at + 1, "'");
      word.push({ type: "text", text: text.slice(at + 1, end), quoted: true });
      at = end + 1;
    } else if (char === '"') {
      const { pieces, end } = readQuoted(text, at + 1);
      word.push({ type: "text", text: "", quoted: true }, ...pieces);
      at = end + 1;
    } else if (char === "\\") {
      word.push({ type: "text", text: text.charAt(at + 1), quoted: true });
      at += 2;
    } else if (char === "$" || char === "`") {
      const { piece, end } = readExpansion(text, at, false);
      word.push(piece);
      at = end;
    } else {
      const plain = /^[^ \t\n;&|()<>'"\\$`]+/.exec(text.slice(at))?.[0] ?? char;
      word.push({ type: "text", text: plain, quoted: false });
      at += plain.length;
    }
  }
  return { word, length: at };
}

function readQuoted(text: string, start: number): { pieces: Piece[]; end: number } {
  const pieces: Piece[] = [];
  let at = start;
  while (at < text.length && text.charAt(at) !== '"') {
    const char = text.charAt(at);
    if (char === "\\" && /["\\$`\n]/.test(text.charAt(at + 1))) {
      pieces.push({ type: "text", text: text.charAt(at + 1), quoted: true });
      at += 2;
    } else if (char === "$" || char === "`") {
      const { piece, end } = readExpansion(text, at, true);
      pieces.push(piece);
      at = end;
    } else {
      const plain = /^[^"\\$`]+/.exec(text.slice(at))?.[0] ?? char;
      pieces.push({ type: "text", text: plain, quoted: true });
      at += plain.length;
    }
  }
  if (at >= text.length) throw new ShellSyntaxError("unterminated quoted string");
  return { pieces, end: at };
}

function readExpansion(text: string, at: number, quoted: boolean): { piece: Piece; end: number } {
  if (text.charAt(at) === "`") {
    const end = closing(text, at + 1, "`");
    return { piece: { type: "command", script: text.slice(at + 1, end), quoted }, end: end + 1 };
  }
  if (text.startsWith("$((", at)) {
    const end = text.indexOf("))", at);
    if (end < 0) throw new ShellSyntaxError("missing '))'");
    return { piece: { type: "arithmetic", expression: text.slice(at + 3, end), quoted }, end: end + 2 };
  }
  if (text.startsWith("$(", at)) {
    const end = balanced(text, at + 2);
    return { piece: { type: "command", script: text.slice(at + 2, end), quoted }, end: end + 1 };
  }
  const braced = /^\$\{([A-Za-z_][A-Za-z0-9_]*|[0-9?$#@*])(?:(:?[-=+?]|##?|%%?)([^}]*))?\}/.exec(text.slice(at));
  if (braced) {
    const fallback = braced[2] ? { operator: braced[2], text: braced[3] ?? "" } : null;
    return { piece: { type: "variable", name: braced[1] ?? "", fallback, quoted }, end: at + braced[0].length };
  }
  const named = /^\$([A-Za-z_][A-Za-z0-9_]*|[0-9?$#@*!])/.exec(text.slice(at));
  if (named)
    return { piece: { type: "variable", name: named[1] ?? "", fallback: null, quoted }, end: at + named[0].length };
  return { piece: { type: "text", text: "$", quoted }, end: at + 1 };
}

function closing(text: string, from: number, mark: string): number {
  const end = text.indexOf(mark, from);
  if (end < 0) throw new ShellSyntaxError("unterminated quoted string");
  return end;
}

/** The position of the parenthesis that closes the one before `from`. */
function balanced(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "'") at = closing(text, at + 1, "'");
    else if (char === "(") depth += 1;
    else if (char === ")" && (depth -= 1) === 0) return at;
  }
  throw new ShellSyntaxError("missing ')'");
}
