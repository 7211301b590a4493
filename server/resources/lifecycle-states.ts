import type { Kind } from "@/machines/kind";
import { stateMetaOf, type Tone } from "@/machines/lifecycle";

export type LifecycleState = { state: string; tone: Tone; since: string | null };

/** Where each lifecycle of a resource is, the kind's first one first. */
export function lifecycleStates(kind: Kind, resource: unknown): Record<string, LifecycleState> {
  return Object.fromEntries(
    Object.entries(kind.lifecycles).map(([name, lifecycle]) => {
      const state = lifecycle.stateOf(resource);
      return [
        name,
        { state, tone: stateMetaOf(lifecycle.machine, state).tone, since: utc(lifecycle.sinceOf(resource)) },
      ];
    }),
  );
}

/** Worst first: the order in which lists show what needs attention. */
export const attention: Record<Tone, number> = { bad: 0, warn: 1, busy: 2, good: 3, idle: 4 };

export function worstTone(tones: readonly Tone[]): Tone {
  return tones.toSorted((a, b) => attention[a] - attention[b])[0] ?? "idle";
}

export function firstOf<T>(byLifecycle: Record<string, T>): T | undefined {
  return Object.values(byLifecycle)[0];
}

/** Any time that Kubernetes writes, as UTC with milliseconds; null where it is none. */
export function utc(text: string | null | undefined): string | null {
  const at = text ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
