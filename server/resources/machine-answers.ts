import { z } from "zod";
import { argSchema } from "./command-args";
import { factSchema } from "./evidence-answers";
import { layoutSchema } from "./layout-answers";
import { toneSchema } from "./row";

const nodeSchema = z.object({
  id: z.string(),
  tone: toneSchema,
  summary: z.string(),
  initial: z.boolean(),
  settled: z.boolean(),
});
const edgeSchema = z.object({
  id: z.string(),
  from: z.string(),
  to: z.string(),
  label: z.string(),
  command: z.string().nullable(),
  self: z.boolean(),
});

/** A machine as it is drawn, told and stored: also one of an older release, whose code is gone. */
export const definitionSchema = z.object({
  id: z.string(),
  hash: z.string(),
  title: z.string(),
  description: z.string(),
  diagram: z.object({
    nodes: z.array(nodeSchema),
    edges: z.array(edgeSchema),
    boxes: z.record(z.string(), z.array(z.string()).readonly()),
  }),
  table: z.array(
    z.object({
      id: z.string(),
      from: z.string(),
      on: z.string(),
      when: z.string(),
      to: z.string(),
      does: z.string(),
    }),
  ),
  facts: z.record(z.string(), z.array(factSchema).readonly()).describe("every value that each can take"),
  guards: z.record(z.string(), z.object({ yes: z.string(), no: z.string() })),
  actions: z.record(z.string(), z.string()),
  commands: z.record(
    z.string(),
    z.object({
      title: z.string(),
      summary: z.string(),
      destroys: z.literal(true).optional(),
      args: z.record(z.string(), argSchema).optional(),
    }),
  ),
});
export type Definition = z.infer<typeof definitionSchema>;

const dwellSchema = z.object({ count: z.int(), p50Ms: z.number(), p95Ms: z.number() }).nullable();

const populatedSchema = z.object({
  state: z.string(),
  tone: toneSchema,
  count: z.int(),
  settled: z.boolean().describe("true: a resource may stay here for ever"),
  dwell: dwellSchema.describe("how long resources stay; null: too few to tell"),
});

export const machineSummarySchema = z.object({
  kind: z.string(),
  lifecycle: z.string(),
  family: z.string(),
  familyTitle: z.string(),
  kindTitle: z.string(),
  kindTitlePlural: z.string(),
  title: z.string(),
  resource: z.string().describe("as kubectl names the kind: plural.group"),
  hash: z.string(),
  total: z.int(),
  states: z.array(populatedSchema),
});
export const machinesListSchema = z.array(machineSummarySchema);
/** Apart from the list, which is asked for again with every change of a count: a machine's picture stays as it is. */
export const picturesSchema = z.record(z.string(), layoutSchema).describe("by the machine's hash");

export const machineSchema = z.object({
  kind: z.string(),
  lifecycle: z.string(),
  definition: definitionSchema,
  current: z.boolean().describe("false: of an older release"),
  layout: layoutSchema.describe("large"),
  folded: layoutSchema.nullable().describe("with its boxes shut; null: there are none"),
  states: z.array(populatedSchema),
  edges: z.array(
    z.object({
      edge: z.string(),
      count: z.int().describe("how often it was taken"),
      dwell: dwellSchema.describe(
        "how long resources were in its state before they took it, lately; null: too few to tell",
      ),
    }),
  ),
});
/** Rates of the last hour and day. */
export const flowSchema = z.object({
  edges: z.array(
    z.object({
      edge: z.string().nullable().describe("null: of a lifecycle that takes no steps of its own"),
      from: z.string(),
      to: z.string(),
      hour: z.int().describe("in the last 60 minutes"),
      day: z.int().describe("in this hour of the clock and the 23 before it"),
      p50Ms: z.number().nullable().describe("how long resources were in `from` before they took it"),
      p95Ms: z.number().nullable(),
    }),
  ),
  states: z.array(z.object({ state: z.string(), enteredHour: z.int(), enteredDay: z.int() })),
});
export type FlowAnswer = z.infer<typeof flowSchema>;

export type MachineAnswer = z.infer<typeof machineSchema>;
