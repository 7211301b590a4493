import { type FileSystem, resolvePath } from "@/server/sandbox/kubelet/file-system";
import { type Piece, type Word } from "./shell-syntax";

/** What the expansion of a word depends on. */
export type Scope = {
  variables: Map<string, string>;
  exported: Set<string>;
  parameters: readonly string[];
  directory: string;
  status: number;
  files: FileSystem;
  substitute(script: string): Promise<string>;
};

/** The word as one string: what assignments and redirections use. */
export async function expandWord(word: Word, scope: Scope): Promise<string> {
  let text = "";
  for (const piece of word) text += await valueOf(piece, scope);
  return text;
}

/** The arguments that these words become: unquoted values are split at blanks, patterns match files. */
export async function expandWords(words: readonly Word[], scope: Scope): Promise<string[]> {
  const fields: string[] = [];
  for (const word of words) fields.push(...(await expandOne(word, scope)));
  return fields;
}

async function expandOne(word: Word, scope: Scope): Promise<string[]> {
  // Null stands for a field that does not exist yet: an unquoted empty value makes none.
  let current: string | null = null;
  const fields: string[] = [];
  for (const piece of word) {
    if (piece.type === "variable" && piece.quoted && piece.name === "@") {
      const [first, ...rest] = scope.parameters.slice(1);
      if (first !== undefined) current = (current ?? "") + first;
      for (const parameter of rest) {
        fields.push(current ?? "");
        current = parameter;
      }
      continue;
    }
    const value = await valueOf(piece, scope);
    if (piece.quoted || piece.type === "text") {
      current = (current ?? "") + value;
      continue;
    }
    const parts = value.split(/[ \t\n]+/);
    for (const [index, part] of parts.entries()) {
      if (index > 0 && current !== null) {
        fields.push(current);
        current = null;
      }
      if (part !== "") current = (current ?? "") + part;
    }
  }
  if (current !== null) fields.push(current);
  const pattern = word.some((piece) => piece.type === "text" && !piece.quoted && /[*?]/.test(piece.text));
  return pattern ? fields.flatMap((field) => matchesOf(field, scope)) : fields;
}

const specials: Record<string, (scope: Scope) => string> = {
  "?": (scope) => String(scope.status),
  "#": (scope) => String(Math.max(0, scope.parameters.length - 1)),
  "@": (scope) => scope.parameters.slice(1).join(" "),
  "*": (scope) => scope.parameters.slice(1).join(" "),
  $: () => "1",
  "!": () => "2",
};

async function valueOf(piece: Piece, scope: Scope): Promise<string> {
  if (piece.type === "text") return piece.text;
  if (piece.type === "command") return scope.substitute(piece.script);
  if (piece.type === "arithmetic") return String(arithmetic(piece.expression, scope));
  const value =
    specials[piece.name]?.(scope) ??
    (/^[0-9]$/.test(piece.name) ? scope.parameters[Number(piece.name)] : scope.variables.get(piece.name));
  if (!piece.fallback) return value ?? "";
  if (/^[#%]/.test(piece.fallback.operator)) return trimmed(value ?? "", piece.fallback);
  const unset = value === undefined || (piece.fallback.operator.startsWith(":") && value === "");
  if (piece.fallback.operator.endsWith("+")) return unset ? "" : piece.fallback.text;
  if (unset && piece.fallback.operator.endsWith("=")) scope.variables.set(piece.name, piece.fallback.text);
  return unset ? piece.fallback.text : value;
}

/** Without the beginning (#) or the end (%) that the pattern matches: the shortest such, or the longest where doubled. */
function trimmed(value: string, { operator, text }: { operator: string; text: string }): string {
  const matches = patternOf(text);
  const cuts = Array.from({ length: value.length + 1 }, (_, at) => at);
  const isPrefix = operator.startsWith("#");
  const fits = cuts.filter((at) => matches.test(isPrefix ? value.slice(0, at) : value.slice(at)));
  // A longer beginning ends further on, and a longer end begins further back.
  const cut = fits.at(isPrefix === (operator.length === 2) ? -1 : 0);
  if (cut === undefined) return value;
  return isPrefix ? value.slice(cut) : value.slice(0, cut);
}

const operations: Record<string, (a: number, b: number) => number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => Math.trunc(a / b),
  "%": (a, b) => a % b,
};

/** Left to right, products before sums; enough for counters. */
function arithmetic(expression: string, scope: Scope): number {
  const tokens = expression.match(/[A-Za-z_$][A-Za-z0-9_]*|[0-9]+|[-+*/%]/g) ?? [];
  const numberOf = (token: string | undefined) =>
    /^[0-9]+$/.test(token ?? "") ? Number(token) : Number(scope.variables.get((token ?? "").replace("$", "")) ?? 0);
  const terms: number[] = [numberOf(tokens[0])];
  const signs: string[] = [];
  for (let at = 1; at + 1 < tokens.length; at += 2) {
    const sign = tokens[at] ?? "+";
    const value = numberOf(tokens[at + 1]);
    const last = terms.at(-1) ?? 0;
    if (sign === "+" || sign === "-") {
      signs.push(sign);
      terms.push(value);
    } else terms[terms.length - 1] = operations[sign]?.(last, value) ?? 0;
  }
  return terms.slice(1).reduce((sum, term, index) => operations[signs[index] ?? "+"]?.(sum, term) ?? 0, terms[0] ?? 0);
}

/** The files that a pattern matches, or the pattern itself. Only the last part of the path may have one. */
function matchesOf(field: string, scope: Scope): string[] {
  if (!/[*?]/.test(field)) return [field];
  const slash = field.lastIndexOf("/") + 1;
  const pattern = patternOf(field.slice(slash));
  const names = scope.files.list(resolvePath(scope.directory, field.slice(0, slash) || ".")) ?? [];
  const found = names.filter((name) => pattern.test(name) && !name.startsWith("."));
  return found.length > 0 ? found.map((name) => field.slice(0, slash) + name) : [field];
}

function patternOf(glob: string): RegExp {
  const escaped = glob.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\*/g, ".*").replace(/\?/g, ".")}$`);
}
