import type { Row } from "@/server/resources/row";

/** The state that a row names and, where it is another lifecycle that makes it look bad, the state of that one. */
export function stateWords({ state, tone, lifecycles }: Pick<Row, "state" | "tone" | "lifecycles">): string {
  const all = Object.values(lifecycles);
  const isWrong = tone === "bad" || tone === "warn";
  if (!isWrong || all.some((one) => one.state === state && one.tone === tone)) return state;
  const worst = all.find((one) => one.tone === tone);
  return worst ? `${state} · ${worst.state}` : state;
}
