import { goQuote } from "@/server/sandbox/go-format";
import { listOf, recordOf, textOf } from "@/server/sandbox/json";

/** A label selector as Go's %#v prints it, which is how validation messages show one. */
export function goLabelSelector(selector: unknown): string {
  const { matchLabels, matchExpressions } = recordOf(selector);
  const labels = matchLabels === undefined ? "map[string]string(nil)" : goStringMap(recordOf(matchLabels));
  const expressions = listOf(matchExpressions).map((term) => {
    const { key, operator, values } = recordOf(term);
    const list =
      values === undefined
        ? "[]string(nil)"
        : `[]string{${listOf(values)
            .map((value) => goQuote(textOf(value)))
            .join(", ")}}`;
    return `v1.LabelSelectorRequirement{Key:${goQuote(textOf(key))}, Operator:${goQuote(textOf(operator))}, Values:${list}}`;
  });
  const shown =
    matchExpressions === undefined
      ? "[]v1.LabelSelectorRequirement(nil)"
      : `[]v1.LabelSelectorRequirement{${expressions.join(", ")}}`;
  return `v1.LabelSelector{MatchLabels:${labels}, MatchExpressions:${shown}}`;
}

export function goStringMap(map: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]string{${entries.map(([key, value]) => `${goQuote(key)}:${goQuote(textOf(value))}`).join(", ")}}`;
}
