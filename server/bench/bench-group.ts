import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { type Connection } from "@/server/kubernetes/connection";
import { type KubernetesObject } from "@/server/kubernetes/object";

/** A group of figures: what it measures, and how. Whoever has something to measure adds one to the list in bench.ts. */
export type BenchGroup = {
  key: string;
  title: string;
  run(bench: Bench): Promise<Figure[]>;
};

/** One figure with its goal. `value` is a ratio to a floor of the same run unless the unit says otherwise. */
export type Figure = {
  key: string;
  what: string;
  value: number;
  unit: "ratio" | "seconds" | "ms" | "µs" | "writes" | "KB" | "MB" | "requests";
  goal: { atMost: number } | { atLeast: number };
  /** What it was made from, in plain numbers. */
  detail: Record<string, number | string>;
};

/** What every group gets: a cluster with the bench's own kind and a way to have things undone. */
export type Bench = {
  client: KubernetesClient;
  connection: Connection;
  clock: Clock;
  /** The API group of the bench's own kind. */
  group: string;
  /** Divides the work for a quick look at whether the bench itself works; its figures mean nothing. */
  scale: number;
  /** A namespace of its own, gone after the run. */
  namespace(purpose: string): Promise<string>;
  /** Creates `count` objects of the bench's kind, named o-0, o-1, …. */
  fill(namespace: string, count: number, make?: (index: number) => Partial<KubernetesObject>): Promise<void>;
  say(line: string): void;
  /** Called when the run ends, however it ends; the last one given is called first. */
  undo(run: () => unknown): void;
};

export function isMet({ value, goal }: Figure): boolean {
  return "atMost" in goal ? value <= goal.atMost : value >= goal.atLeast;
}
