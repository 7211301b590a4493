import type { Filter, PageQuery } from "@/server/resources/page-query";

type Sort = PageQuery["sort"];
const sorts: Sort[] = ["attention", "name", "namespace", "kind", "state", "since"];
const tones = ["bad", "warn", "busy", "good", "idle"] as const;

export type ListParams = { filter: Filter; sort: Sort; direction: "asc" | "desc" };

/** The address is the list: what it says is what is shown, and it can be sent to somebody else. */
export function paramsOf(search: URLSearchParams, kind: string | null): ListParams {
  const all = (name: string) => search.getAll(name).filter(Boolean);
  const given = all("tone").flatMap((tone) => tones.find((one) => one === tone) ?? []);
  const kinds = kind === null ? all("kind") : [kind];
  const [states, namespaces, text, family] = [all("state"), all("namespace"), search.get("q"), search.get("family")];
  return {
    filter: {
      ...(family && { family }),
      ...(kinds.length && { kinds }),
      ...(states.length && { states }),
      ...(namespaces.length && { namespaces }),
      ...(given.length && { tones: given }),
      ...(text && { text }),
    },
    sort: sorts.find((sort) => sort === search.get("sort")) ?? "attention",
    direction: search.get("direction") === "desc" ? "desc" : "asc",
  };
}

/** The address with a value of a filter added or, if it was there, taken away. */
export function toggled(search: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(search);
  const values = next.getAll(name);
  next.delete(name);
  for (const one of values.filter((one) => one !== value)) next.append(name, one);
  if (!values.includes(value)) next.append(name, value);
  return next;
}

export function replaced(search: URLSearchParams, values: Record<string, string | null>): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(values)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  return next;
}

/** Whether a row still is what the list was asked for. */
export function matches(
  { filter }: ListParams,
  row: { state: string; tone: (typeof tones)[number]; lifecycles: Record<string, { state: string }> },
): boolean {
  const isState = (wanted: string) => {
    const [lifecycle = "", state] = wanted.split("=");
    return state === undefined ? row.state === wanted : row.lifecycles[lifecycle]?.state === state;
  };
  return (filter.states?.some(isState) ?? true) && (filter.tones?.includes(row.tone) ?? true);
}
