"use client";
import { useQueries } from "@tanstack/react-query";
import { useTRPC } from "../trpc";
import { overExpectation } from "./over-expectation";

type Stay = { kind: string; state: string; since: string | null };

/** For rows of any kinds: how long each has been in its state, against what is usual for that state. */
export function useDwell(rows: readonly { kind: string }[]) {
  const trpc = useTRPC();
  const kinds = [...new Set(rows.map(({ kind }) => kind))].sort();
  const answers = useQueries({ queries: kinds.map((kind) => trpc.machines.get.queryOptions({ kind })) });
  const machines = new Map(kinds.map((kind, index) => [kind, answers[index]?.data]));
  return ({ kind, state, since }: Stay, now: number) => {
    const machine = machines.get(kind);
    const usual = machine?.states.find((one) => one.state === state)?.dwell ?? null;
    const node = machine?.definition.diagram.nodes.find(({ id }) => id === state);
    const stayMs = since === null ? 0 : now - Date.parse(since);
    return { usual, ratio: now === 0 ? null : overExpectation(stayMs, usual, node?.settled ?? true) };
  };
}
