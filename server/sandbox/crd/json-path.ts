/** Reads values by the JSONPath that printer columns and the scale subresource use: dots, indexes, `*`, and `[?(@.a=="b")]`. */
export type ReadPath = (value: unknown) => unknown[];

/** Throws for what it does not understand. */
export function compileJsonPath(path: string): ReadPath {
  const steps = stepsOf(
    path
      .trim()
      .replace(/^\{(.*)\}$/, "$1")
      .replace(/^\$/, ""),
  );
  return (value) => steps.reduce<unknown[]>((found, step) => found.flatMap(step), [value]);
}

type Step = (value: unknown) => unknown[];

const field = /^\.((?:\\.|[^.[\]\\])+)/;
const bracket = /^\[(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|(-?\d+)|(\*)|\?\((.*?)\))\]/;

function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  let rest = path === "." ? "" : path;
  while (rest !== "") {
    const named = field.exec(rest);
    const indexed = named ? null : bracket.exec(rest);
    const found = named ?? indexed;
    if (!found) throw new Error(`unrecognized JSONPath at "${rest}"`);
    steps.push(named ? member(unescape(String(named[1]))) : bracketStep(found));
    rest = rest.slice(found[0].length);
  }
  return steps;
}

const unescape = (text: string) => text.replace(/\\(.)/g, "$1");

function bracketStep([, single, double, index, star, filter]: RegExpExecArray): Step {
  if (index !== undefined)
    return (value) => (Array.isArray(value) ? (value as unknown[]).slice(Number(index)).slice(0, 1) : []);
  if (star !== undefined) return everything;
  if (filter !== undefined) return filterStep(filter);
  return member(unescape(single ?? double ?? ""));
}

const everything: Step = (value) => {
  if (Array.isArray(value)) return value as unknown[];
  return typeof value === "object" && value !== null ? Object.values(value) : [];
};

function member(name: string): Step {
  if (name === "*") return everything;
  return (value) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return [];
    return [(value as Record<string, unknown>)[name]]; // An object with that key, as just seen.
  };
}

const comparison = /^\s*@(\S*?)\s*(==|!=|>=|<=|>|<)\s*(?:'([^']*)'|"([^"]*)"|(\S+))\s*$/;

const holds: Record<string, (a: unknown, b: unknown) => boolean> = {
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  ">": (a, b) => Number(a) > Number(b),
  "<": (a, b) => Number(a) < Number(b),
  ">=": (a, b) => Number(a) >= Number(b),
  "<=": (a, b) => Number(a) <= Number(b),
};

function filterStep(filter: string): Step {
  const found = comparison.exec(filter);
  if (!found) {
    const exists = compileJsonPath(filter.trim().replace(/^@/, ""));
    return (value) => everything(value).filter((item) => exists(item).length > 0);
  }
  const [, path = "", operator = "==", single, double, bare] = found;
  const read = compileJsonPath(path);
  const wanted: unknown = single ?? double ?? literalOf(String(bare));
  const test = holds[operator] ?? (() => false);
  return (value) => everything(value).filter((item) => read(item).some((left) => test(left, wanted)));
}

function literalOf(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return Number.isNaN(Number(text)) ? text : Number(text);
}
