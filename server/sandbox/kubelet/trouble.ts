import { type Pod } from "@/server/sandbox/objects/pod";

const PREFIX = "sandbox.orrery.dev/";

/** The made-up behaviour that a pod asks for by annotations under sandbox.orrery.dev/. */
export type Trouble = {
  /** `program`: the name of a program to play every container by, whatever its image; `program.<container>` for one. */
  program(container: string): string | null;
  /** `image-pull-error`: the pull of every image fails with this text; `image-pull-error.<container>` for one. */
  pullError(container: string): string | null;
  /** `image-pull-delay`: how long a pull takes ("2s"). */
  pullDelayMs: number;
  /** `start-delay`: how long a container takes from its image to its start. */
  startDelayMs: number;
  /** `ready-delay`: how long after its start a container's readiness is held back; `never` for ever. */
  readyDelayMs: number;
  /** `exit-after` with `exit-code` (1 if absent): every run of a container ends so. */
  exit: { afterMs: number; code: number } | null;
  /** `oom-after`: every run of a container is killed for its memory after this time. */
  oomAfterMs: number | null;
  /** `ignore-sigterm`: the containers do not end before the grace period does. */
  ignoresTermination: boolean;
};

export function troubleOf(pod: Pod): Trouble {
  const annotation = (name: string) => pod.metadata.annotations?.[PREFIX + name];
  const forContainer = (name: string, container: string) =>
    annotation(`${name}.${container}`) ?? annotation(name) ?? null;
  const exitAfter = durationOf(annotation("exit-after"));
  return {
    program: (container) => forContainer("program", container),
    pullError: (container) => forContainer("image-pull-error", container),
    pullDelayMs: durationOf(annotation("image-pull-delay")) ?? 0,
    startDelayMs: durationOf(annotation("start-delay")) ?? 0,
    readyDelayMs: annotation("ready-delay") === "never" ? Infinity : (durationOf(annotation("ready-delay")) ?? 0),
    exit: exitAfter === null ? null : { afterMs: exitAfter, code: Number(annotation("exit-code") ?? 1) },
    oomAfterMs: durationOf(annotation("oom-after")),
    ignoresTermination: annotation("ignore-sigterm") === "true",
  };
}

const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** "1m30s" in milliseconds; null when there is none or it is no duration. */
function durationOf(text: string | undefined): number | null {
  if (text === undefined || !/^([0-9.]+(ms|s|m|h))+$/.test(text)) return null;
  return [...text.matchAll(/([0-9.]+)(ms|s|m|h)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ""] ?? 0),
    0,
  );
}
