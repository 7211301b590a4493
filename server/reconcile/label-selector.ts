const LABEL_VALUE_MAX = 63;

/** Labels as a selector; null when no object can carry them, since an API server refuses to look for such a value. */
export function selectorOf(labels: Readonly<Record<string, string>>): string | null {
  const terms = Object.entries(labels);
  if (terms.some(([, value]) => value.length > LABEL_VALUE_MAX)) return null;
  return terms.map(([label, value]) => `${label}=${value}`).join(",");
}

/**
 * Whether labels match a selector of the plain forms (`a=b`, `a==b`, `a!=b`, `a`, `!a`, joined by commas). A selector of
 * any other form matches nothing: who asks here wants to be sure.
 */
export function matchesSelector(selector: string, labels: Readonly<Record<string, string>>): boolean {
  return selector.split(",").every((term) => matchesTerm(term.trim(), labels));
}

const TERM = /^(?<not>!)?(?<label>[\w./-]+)\s*(?:(?<operator>==|=|!=)\s*(?<value>[\w.-]*))?$/;

function matchesTerm(term: string, labels: Readonly<Record<string, string>>): boolean {
  const { not, label, operator, value } = TERM.exec(term)?.groups ?? {};
  if (label === undefined) return false;
  const found = labels[label];
  if (operator === undefined) return (found !== undefined) === (not === undefined);
  if (not !== undefined) return false;
  return operator === "!=" ? found !== value : found === value;
}
