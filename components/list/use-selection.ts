"use client";
import { useState } from "react";

/** The rows that are selected, and whether everything that matches the filter is meant. */
export function useSelection(ids: string[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setAll] = useState(false);
  const [last, setLast] = useState<string | null>(null);
  return {
    ids: ids.filter((id) => chosen.has(id)),
    isAll,
    has: (id: string) => isAll || chosen.has(id),
    toggle: (id: string, extend: boolean) => {
      const from = extend && last !== null ? ids.indexOf(last) : -1;
      const to = ids.indexOf(id);
      const range = from < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1);
      setChosen((held) => {
        const next = new Set(held);
        const isAdding = from >= 0 || !held.has(id);
        for (const one of range) {
          if (isAdding) next.add(one);
          else next.delete(one);
        }
        return next;
      });
      setAll(false);
      setLast(id);
    },
    toggleShown: () => {
      setChosen(new Set(isAll || ids.every((id) => chosen.has(id)) ? [] : ids));
      setAll(false);
    },
    selectAll: () => setAll(true),
    clear: () => {
      setChosen(new Set());
      setAll(false);
    },
  };
}
