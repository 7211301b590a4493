import { describe, test } from "vitest";
import { type Target } from "@/server/sandbox/contract/target";

/** Adds a case to a topic. `since`: the first minor version of Kubernetes that promises it. */
export type Case = (
  guarantee: string,
  run: (target: Target) => Promise<void>,
  options?: { since?: number; until?: number },
) => void;

/**
 * A topic of the contract: one text, held against whatever target it is given. Topics run beside each other, and so do
 * their cases: a real server mostly makes one wait. Cases that look at one scene follow one another.
 */
export function topic(
  title: string,
  cases: (promises: Case) => void,
  { shareScene = false } = {},
): (target: () => Target) => void {
  return (target) =>
    describe.concurrent(title, () => {
      cases((guarantee, run, { since = 0, until = Infinity } = {}) => {
        test(guarantee, { concurrent: !shareScene }, async ({ skip }) => {
          const { minor } = target();
          if (minor < since) skip(`new in 1.${since}`);
          if (minor > until) skip(`gone after 1.${until}`);
          await run(target());
        });
      });
    });
}
