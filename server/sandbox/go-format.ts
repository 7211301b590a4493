/** A value as Go prints it with %q (strings), %v (numbers, booleans) or %#v (decoded JSON). */
export function goSyntax(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return goNumber(value);
  if (typeof value === "boolean") return String(value);
  if (value === null || value === undefined) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]interface {}{${entries.map(([key, item]) => `${goQuote(key)}:${goSyntax(item)}`).join(", ")}}`;
}

const escapes: Record<string, string> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** strconv.Quote for the characters that occur in practice. */
export function goQuote(text: string): string {
  const escaped = text.replace(/["\\\u0000-\u001f\u007f]/g, (found) => {
    return escapes[found] ?? `\\x${found.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
  return `"${escaped}"`;
}

/** %v of an int64 or float64: floats below 1e-4 or from 1e21 on get an exponent of at least two digits. */
export function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value);
  return value.toString().replace(/e([+-])(\d)$/, "e$10$2");
}
