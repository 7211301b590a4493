"use client";
import { useReducer } from "react";

type Held = { chosen: ReadonlySet<string>; isAll: boolean; last: string | null };
type Step = { toggled: string; extend: boolean } | "shown" | "all" | "none";

const nothing: Held = { chosen: new Set(), isAll: false, last: null };

/** The rows that are selected, and whether everything that matches the filter is meant. `choose` is the same for good. */
export function useSelection(ids: string[]) {
  const [{ chosen, isAll }, choose] = useReducer((held: Held, step: Step) => next(held, step, ids), nothing);
  return {
    ids: ids.filter((id) => chosen.has(id)),
    isAll,
    has: (id: string) => isAll || chosen.has(id),
    choose,
  };
}

function next(held: Held, step: Step, ids: string[]): Held {
  if (step === "none") return nothing;
  if (step === "all") return { ...held, isAll: true };
  if (step === "shown") {
    const isEach = held.isAll || ids.every((id) => held.chosen.has(id));
    return { ...held, chosen: new Set(isEach ? [] : ids), isAll: false };
  }
  const { toggled, extend } = step;
  const from = extend && held.last !== null ? ids.indexOf(held.last) : -1;
  const to = ids.indexOf(toggled);
  const range = from < 0 ? [toggled] : ids.slice(Math.min(from, to), Math.max(from, to) + 1);
  const chosen = new Set(held.chosen);
  const isAdding = from >= 0 || !chosen.has(toggled);
  for (const id of range) {
    if (isAdding) chosen.add(id);
    else chosen.delete(id);
  }
  return { chosen, isAll: false, last: toggled };
}
