import type { AnyStateMachine } from "xstate";
import type { z } from "zod";

/** What a family says about one of its kinds: list, page, diagram, buttons, API and history need no more. */
export type Kind<Resource = unknown> = {
  title: string;
  titlePlural: string;
  api: KindApi;
  /** Parsed at the door; gives the state before the first pass where `status` is missing. */
  schema: z.ZodType<Resource>;
  crd: CrdParts;
  /** One per lifecycle status that the resource carries; most kinds have just `phase`. */
  lifecycles: Record<string, Lifecycle<Resource>>;
};

export type KindApi = {
  group: string;
  version: string;
  kind: string;
  plural: string;
  singular: string;
  shortNames: readonly string[];
  namespaced: boolean;
};

/** Methods, not properties: who holds a kind of any resource has parsed the resource with that kind's schema. */
export type Lifecycle<Resource = unknown> = {
  machine: AnyStateMachine;
  stateOf(resource: Resource): string;
  sinceOf(resource: Resource): string | null;
  /** The state that it is wanted in, for a lifecycle whose resource tells one; null while nothing is wanted. */
  desiredOf?(resource: Resource): Desired | null;
  /** The field of `status` whose enum the states are; the lifecycle's own name unless told, null where no field holds it. */
  field?: string | null;
  /** The lifecycles that it is made of; it is shown and recorded as they move, and takes no steps of its own. */
  composedOf?: readonly string[];
};

export type Desired = { state: string; since: string | null };

export type PrinterColumn = {
  name: string;
  type: "string" | "integer" | "boolean" | "date" | "number";
  jsonPath: string;
  description?: string;
  priority?: number;
};

export type CrdParts = {
  spec: z.ZodType;
  status: z.ZodType;
  columns: readonly PrinterColumn[];
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  /** Rules beyond the schema, in CEL, by the path below the object: { "spec.instanceRef": [{ rule: "self == oldSelf", … }] }. */
  rules?: Record<string, readonly CelRule[]>;
};

export type CelRule = { rule: string; message: string };

export function defineKind<Resource>(kind: Kind<Resource>): Kind<Resource> {
  return kind;
}
