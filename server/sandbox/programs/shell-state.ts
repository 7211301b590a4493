import { type Scope } from "./shell-expansion";

/** What a shell knows while it runs. */
export type Shell = Scope & {
  traps: Map<string, string>;
  /** Signals that came and whose traps have not run yet. */
  pending: string[];
  jobs: Set<Promise<number>>;
  /** Wakes whoever waits, for a signal. */
  interrupt: Set<() => void>;
};

/** `exit`: the script ends with this code. */
export class ShellExit extends Error {
  readonly code: number;
  constructor(code: number) {
    super("exit");
    this.code = code;
  }
}

/** `break`, or `continue` if it goes on. */
export class LoopJump extends Error {
  readonly again: boolean;
  constructor(again: boolean) {
    super("jump");
    this.again = again;
  }
}

/** A copy whose variables are its own. */
export function subshellOf(shell: Shell): Shell {
  return { ...shell, variables: new Map(shell.variables) };
}

/** The environment of a command that the shell runs. */
export function exportedOf(
  { variables, exported }: Shell,
  assigned: readonly (readonly [string, string])[] = [],
): Record<string, string> {
  return Object.fromEntries([...[...variables].filter(([key]) => exported.has(key)), ...assigned]);
}
