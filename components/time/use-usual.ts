"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "../trpc";
import { overExpectation } from "./over-expectation";

type Stay = { kind: string; state: string; since: string | null };
/** How long others stayed in a state, null while too few did, and whether one may rest there. */
export type Usual = { dwell: { p50Ms: number; p95Ms: number } | null; settled: boolean };

/** For rows of any kinds: what is usual for the state that each is in. */
export function useUsual() {
  const { data: machines = [] } = useQuery(useTRPC().machines.list.queryOptions());
  return ({ kind, state }: Pick<Stay, "kind" | "state">): Usual =>
    // A row's state is that of the kind's first lifecycle.
    machines.find((machine) => machine.kind === kind)?.states.find((one) => one.state === state) ?? unknown;
}

const unknown: Usual = { dwell: null, settled: true };

/** How long it has been there by what is usual; null where that says nothing. */
export function stayRatio({ since }: Pick<Stay, "since">, { dwell, settled }: Usual, now: number): number | null {
  return now === 0 ? null : overExpectation(since === null ? 0 : now - Date.parse(since), dwell, settled);
}
