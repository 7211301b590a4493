import type { Filter } from "./page-query";

/** Kinds that a caller may list: everywhere, or in these namespaces. A kind that is missing may not be listed at all. */
export type Visible = Record<string, "everywhere" | readonly string[]>;

/** Parameters of one statement: `add` gives the placeholder. */
export function parameters() {
  const values: unknown[] = [];
  return { values, add: (value: unknown) => `$${values.push(value)}` };
}
export type Parameters = ReturnType<typeof parameters>;

/** What a caller may see and what he asked for, but for states and tones. */
export function baseCondition(filter: Filter, visible: Visible, params: Parameters): string {
  const { labels, text } = filter;
  const { add } = params;
  const conditions = [`"deletedAt" IS NULL`, groupCondition(filter, visible, params)];
  if (labels) conditions.push(`"labels" @> ${add(JSON.stringify(labels))}::jsonb`);
  for (const word of (text ?? "").split(/\s+/).filter(Boolean)) {
    conditions.push(`"searched" LIKE lower(${add(`%${word.replace(/[\\%_]/g, "\\$&")}%`)}::text)`);
  }
  return conditions.join(" AND ");
}

/** As much of it as is the same for all rows that stand alike. */
export function groupCondition(filter: Filter, visible: Visible, { add }: Parameters): string {
  const { family, kinds, namespaces } = filter;
  const conditions = [visibleCondition(visible, add)];
  if (family !== undefined) conditions.push(`"family" = ${add(family)}`);
  if (kinds) conditions.push(`"kind" = ANY(${add(kinds)}::text[])`);
  if (namespaces) conditions.push(`"namespace" = ANY(${add(namespaces)}::text[])`);
  return conditions.join(" AND ");
}

/** Conditions on the state, apart: the counts of the other states are shown beside those chosen. */
export function stateCondition({ states, tones }: Filter, { add }: Parameters): string {
  const conditions = ["true"];
  if (tones) conditions.push(`"tone" = ANY(${add(tones)}::text[])`);
  if (states) {
    const plain = states.filter((state) => !state.includes("="));
    const named = states.filter((state) => state.includes("=")).map((state) => state.split("=", 2));
    const alternatives = [
      `"state" = ANY(${add(plain)}::text[])`,
      ...named.map(([lifecycle, state]) => `"lifecycles" -> ${add(lifecycle)} ->> 'state' = ${add(state)}`),
    ];
    conditions.push(`(${alternatives.join(" OR ")})`);
  }
  return conditions.join(" AND ");
}

function visibleCondition(visible: Visible, add: Parameters["add"]): string {
  const entries = Object.entries(visible);
  const everywhere = entries.filter(([, where]) => where === "everywhere").map(([kind]) => kind);
  const alternatives = [`"kind" = ANY(${add(everywhere)}::text[])`];
  for (const [kind, where] of entries) {
    if (where === "everywhere") continue;
    alternatives.push(`("kind" = ${add(kind)} AND "namespace" = ANY(${add(where)}::text[]))`);
  }
  return `(${alternatives.join(" OR ")})`;
}
