import { own } from "@/server/sandbox/json";
import { badRequestError } from "@/server/sandbox/status-error";

/** metav1.LabelSelector, as it stands in specs. */
export type LabelSelector = {
  matchLabels?: Readonly<Record<string, string>>;
  matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
};

export type Labels = Readonly<Record<string, string>> | undefined;
type Requirement = (labels: Readonly<Record<string, string>>) => boolean;

/** An empty selector matches everything, as in Kubernetes. */
export function matcherOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): (labels: Labels) => boolean {
  const requirements = matchExpressions.map(({ key, operator, values = [] }) => {
    const make = own(operators, operator);
    return make ? make(key, values) : () => false;
  });
  return (labels = {}) => matchesLabels(matchLabels, labels) && requirements.every((holds) => holds(labels));
}

export function matchesLabels(wanted: Readonly<Record<string, string>>, labels: Labels = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

const operators: Readonly<Record<string, (key: string, values: readonly string[]) => Requirement>> = {
  In: (key, values) => (labels) => Object.hasOwn(labels, key) && values.includes(String(labels[key])),
  NotIn: (key, values) => (labels) => !Object.hasOwn(labels, key) || !values.includes(String(labels[key])),
  Exists: (key) => (labels) => Object.hasOwn(labels, key),
  DoesNotExist: (key) => (labels) => !Object.hasOwn(labels, key),
  Gt: (key, values) => (labels) => Object.hasOwn(labels, key) && Number(labels[key]) > Number(values[0]),
  Lt: (key, values) => (labels) => Object.hasOwn(labels, key) && Number(labels[key]) < Number(values[0]),
};

const KEY = String.raw`[A-Za-z0-9][-A-Za-z0-9_./]*`;
const VALUE = String.raw`[-A-Za-z0-9_.]*`;
const TERM = new RegExp(
  String.raw`^\s*(?:(?<key>${KEY})\s*(?<operator>==|!=|=|>|<)\s*(?<value>${VALUE})|(?<setKey>${KEY})\s+(?<setOperator>in|notin)\s*\((?<values>[^)]*)\)|(?<bang>!)\s*(?<absentKey>${KEY})|(?<presentKey>${KEY}))\s*(?:,|$)`,
);

/** The query parameter `labelSelector`: `a=b,c in (d,e),!f`. */
export function parseLabelSelector(text: string): (labels: Labels) => boolean {
  const requirements: Requirement[] = [];
  let rest = text;
  while (rest.trim() !== "") {
    const match = TERM.exec(rest);
    if (!match?.groups) {
      throw badRequestError(`unable to parse requirement: found '${rest.trim()}', expected: identifier`);
    }
    requirements.push(requirementOf(match.groups));
    rest = rest.slice(match[0].length);
  }
  return (labels = {}) => requirements.every((holds) => holds(labels));
}

const symbols: Readonly<Record<string, string>> = {
  "=": "In",
  "==": "In",
  "!=": "NotIn",
  ">": "Gt",
  "<": "Lt",
  in: "In",
  notin: "NotIn",
};

function requirementOf(groups: Readonly<Record<string, string | undefined>>): Requirement {
  if (groups["absentKey"]) return made("DoesNotExist", groups["absentKey"], []);
  if (groups["presentKey"]) return made("Exists", groups["presentKey"], []);
  const symbol = groups["operator"] ?? groups["setOperator"] ?? "=";
  const values = groups["values"]?.split(",").map((value) => value.trim()) ?? [groups["value"] ?? ""];
  const key = groups["key"] ?? groups["setKey"] ?? "";
  checkLengths(key, values);
  return made(symbols[symbol] ?? "In", key, values);
}

const VALUE_MAX = 63;

function checkLengths(key: string, values: readonly string[]): void {
  const at = values.findIndex((value) => value.length > VALUE_MAX);
  if (at < 0) return;
  const fault = `Invalid value: "${values[at] ?? ""}": must be no more than ${VALUE_MAX} characters`;
  throw badRequestError(`unable to parse requirement: values[${at}][${key}]: ${fault}`);
}

function made(operator: string, key: string, values: readonly string[]): Requirement {
  return operators[operator]?.(key, values) ?? (() => false);
}
