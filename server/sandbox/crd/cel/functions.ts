import { lengthOf } from "@/server/sandbox/crd/value-check";
import { bool, type CelType, dyn, fits, int, string } from "@/server/sandbox/crd/cel/cel-type";
import {
  celEquals,
  compare,
  durationOf,
  isIn,
  plus,
  timestampOf,
  typeNameAtRun,
} from "@/server/sandbox/crd/cel/values";

/** One way to call a function: the types it takes (the target of a method first), what it gives, how it runs. */
export type Overload = {
  takes: readonly CelType[];
  gives: CelType | ((args: readonly CelType[]) => CelType);
  // The compiler has matched the arguments against `takes`, and `dyn` ones are checked where it matters.
  run: (...args: never[]) => unknown;
};

const double: CelType = { name: "double" };
const duration: CelType = { name: "duration" };
const timestamp: CelType = { name: "timestamp" };
const list: CelType = { name: "list", of: dyn };
const strings: CelType = { name: "list", of: string };
const map: CelType = { name: "map", of: dyn };
const ordered = [int, double, string, bool, timestamp, duration];

function overload(takes: readonly CelType[], gives: Overload["gives"], run: Overload["run"]): Overload {
  return { takes, gives, run };
}

function comparison(holds: (order: number) => boolean): Overload[] {
  const mixed = [overload([int, double], bool, (a: unknown, b: unknown) => holds(compare(a, b)))];
  mixed.push(overload([double, int], bool, (a: unknown, b: unknown) => holds(compare(a, b))));
  return [
    ...ordered.map((type) => overload([type, type], bool, (a: unknown, b: unknown) => holds(compare(a, b)))),
    ...mixed,
  ];
}

function whole(calculate: (a: number, b: number) => number): Overload["run"] {
  return (a: number, b: number) => {
    if (b === 0 && !Number.isFinite(calculate(1, 0))) throw new Error("division by zero");
    return Math.trunc(calculate(a, b));
  };
}

function arithmetic(calculate: (a: number, b: number) => number): Overload[] {
  return [overload([int, int], int, whole(calculate)), overload([double, double], double, calculate)];
}

function equality(expected: boolean): Overload[] {
  const run = (a: unknown, b: unknown) => celEquals(a, b) === expected;
  const kinds = [
    ...ordered,
    list,
    map,
    { name: "null_type" } as const,
    { name: "bytes" } as const,
    { name: "type" } as const,
  ];
  const object: CelType = { name: "object", fields: new Map(), open: true };
  return [...kinds, object]
    .map((type) => overload([type, type], bool, run))
    .concat(overload([int, double], bool, run), overload([double, int], bool, run));
}

const numberSum = (items: number[]) => items.reduce((total, item) => total + item, 0);
const elementOf = ([items]: readonly CelType[]): CelType => (items?.name === "list" ? items.of : dyn);

function extreme(sign: 1 | -1): Overload["run"] {
  return (items: unknown[]) => {
    if (items.length === 0) throw new Error(`${sign === 1 ? "min" : "max"} called on empty list`);
    return items.reduce((best, item) => (compare(item, best) * sign < 0 ? item : best));
  };
}

function isSorted(items: unknown[]): boolean {
  return items.every((item, index) => index === 0 || compare(items[index - 1], item) <= 0);
}

function toInt(value: unknown): number {
  const result = typeof value === "string" && !/^-?\d+$/.test(value) ? Number.NaN : Math.trunc(Number(value));
  if (Number.isNaN(result)) throw new Error(`type conversion error from '${typeNameAtRun(value)}' to 'int'`);
  return result;
}

function substring(text: string, from: number, to = text.length): string {
  if (from < 0 || to > text.length || from > to) throw new Error(`index out of range: ${from}`);
  return text.slice(from, to);
}

const findAll = (text: string, pattern: string, limit = Infinity) =>
  [...text.matchAll(new RegExp(pattern, "gu"))].map(([found]) => found).slice(0, limit < 0 ? Infinity : limit);

const operators: Record<string, Overload[]> = {
  "_==_": equality(true),
  "_!=_": equality(false),
  "_<_": comparison((order) => order < 0),
  "_<=_": comparison((order) => order <= 0),
  "_>_": comparison((order) => order > 0),
  "_>=_": comparison((order) => order >= 0),
  "_+_": [int, double, string, list, duration]
    .map((type) => overload([type, type], ([left]) => left ?? dyn, plus))
    .concat(overload([timestamp, duration], timestamp, plus), overload([duration, timestamp], timestamp, plus)),
  "_-_": [...arithmetic((a, b) => a - b), overload([timestamp, timestamp], duration, (a: number, b: number) => a - b)],
  "_*_": arithmetic((a, b) => a * b),
  "_/_": arithmetic((a, b) => a / b),
  "_%_": [
    overload(
      [int, int],
      int,
      whole((a, b) => a % b),
    ),
  ],
  "!_": [overload([bool], bool, (value: boolean) => !value)],
  "-_": [int, double].map((type) => overload([type], type, (value: number) => -value)),
  "@in": [overload([dyn, list], bool, isIn), overload([dyn, map], bool, isIn)],
};

const functions: Record<string, Overload[]> = {
  size: [list, map, string].map((type) =>
    overload([type], int, (of: string | object) => (typeof of === "string" ? lengthOf(of) : Object.keys(of).length)),
  ),
  int: [int, double, string, timestamp, dyn].map((type) => overload([type], int, toInt)),
  double: [overload([dyn], double, Number)],
  string: [overload([dyn], string, String)],
  bool: [overload([string], bool, (text: string) => text === "true")],
  dyn: [overload([dyn], dyn, (value: unknown) => value)],
  type: [overload([dyn], { name: "type" }, typeNameAtRun)],
  duration: [overload([string], duration, durationOf)],
  timestamp: [overload([string], timestamp, timestampOf)],
  matches: [overload([string, string], bool, (text: string, pattern: string) => new RegExp(pattern, "u").test(text))],
};

const methods: Record<string, Overload[]> = {
  size: functions.size ?? [],
  matches: functions.matches ?? [],
  startsWith: [overload([string, string], bool, (text: string, part: string) => text.startsWith(part))],
  endsWith: [overload([string, string], bool, (text: string, part: string) => text.endsWith(part))],
  contains: [overload([string, string], bool, (text: string, part: string) => text.includes(part))],
  lowerAscii: [overload([string], string, (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))],
  upperAscii: [overload([string], string, (text: string) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase()))],
  trim: [overload([string], string, (text: string) => text.trim())],
  charAt: [
    overload([string, int], string, (text: string, at: number) => substring(text, at, Math.min(at + 1, text.length))),
  ],
  substring: [overload([string, int], string, substring), overload([string, int, int], string, substring)],
  replace: [
    overload([string, string, string], string, (text: string, from: string, to: string) => text.replaceAll(from, to)),
  ],
  split: [overload([string, string], strings, (text: string, by: string) => text.split(by))],
  join: [
    overload([strings], string, (parts: string[]) => parts.join("")),
    overload([strings, string], string, (parts: string[], by: string) => parts.join(by)),
  ],
  find: [overload([string, string], string, (text: string, pattern: string) => findAll(text, pattern, 1)[0] ?? "")],
  findAll: [overload([string, string], strings, findAll), overload([string, string, int], strings, findAll)],
  indexOf: [
    overload([string, string], int, (text: string, part: string) => text.indexOf(part)),
    overload([list, dyn], int, (items: unknown[], wanted: unknown) =>
      items.findIndex((item) => celEquals(item, wanted)),
    ),
  ],
  lastIndexOf: [
    overload([string, string], int, (text: string, part: string) => text.lastIndexOf(part)),
    overload([list, dyn], int, (items: unknown[], wanted: unknown) =>
      items.findLastIndex((item) => celEquals(item, wanted)),
    ),
  ],
  isSorted: [overload([list], bool, isSorted)],
  sum: [overload([list], elementOf, numberSum)],
  min: [overload([list], elementOf, extreme(1))],
  max: [overload([list], elementOf, extreme(-1))],
};

/** The overload for these argument types, or null when the function takes none of that kind. */
export function overloadFor(overloads: readonly Overload[], args: readonly CelType[]): Overload | null {
  const matching = overloads.find(
    ({ takes }) => takes.length === args.length && takes.every((type, index) => fits(args[index] ?? dyn, type)),
  );
  return matching ?? null;
}

export const globalFunctions: ReadonlyMap<string, readonly Overload[]> = new Map(
  Object.entries({ ...operators, ...functions }),
);
export const memberFunctions: ReadonlyMap<string, readonly Overload[]> = new Map(Object.entries(methods));
