"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "../trpc";
import { overExpectation } from "./over-expectation";

type Stay = { kind: string; state: string; since: string | null };

/** For rows of any kinds: how long each has been in its state, against what is usual for that state. */
export function useDwell() {
  const { data: machines = [] } = useQuery(useTRPC().machines.list.queryOptions());
  return ({ kind, state, since }: Stay, now: number) => {
    // A row's state is that of the kind's first lifecycle.
    const found = machines.find((machine) => machine.kind === kind)?.states.find((one) => one.state === state);
    const usual = found?.dwell ?? null;
    const stayMs = since === null ? 0 : now - Date.parse(since);
    return { usual, ratio: now === 0 ? null : overExpectation(stayMs, usual, found?.settled ?? true) };
  };
}
