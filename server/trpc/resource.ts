import { z } from "zod";
import { resourceChanges, resourceNewsSchema } from "@/server/live/resource-changes";
import { askedCommand } from "@/server/resources/command-args";
import { commandAnswerSchema, previewSchema } from "@/server/resources/command-answers";
import { explainSchema } from "@/server/resources/explain-answers";
import { asOfSchema, eventsSchema, generationSchema, historySchema } from "@/server/resources/history-answers";
import { objectsSchema, yamlSchema } from "@/server/resources/object-answers";
import { getSchema, waitSchema } from "@/server/resources/state-answers";
import { command } from "@/server/resources/command";
import { digest, digestSchema } from "@/server/resources/digest";
import { events } from "@/server/resources/events";
import { explain } from "@/server/resources/explain";
import { generations } from "@/server/resources/generations";
import { get } from "@/server/resources/get";
import { history } from "@/server/resources/history";
import { objects } from "@/server/resources/objects";
import { preview } from "@/server/resources/preview";
import { refSchema } from "@/server/resources/ref";
import { asOf } from "@/server/resources/as-of";
import { wait } from "@/server/resources/wait";
import { yaml } from "@/server/resources/yaml";
import { zAsyncIterable } from "./async-iterable";
import { procedure, router } from "./init";

const paging = { cursor: z.string().max(100).optional(), limit: z.int().min(1).max(200).default(50) };

const toPreview = refSchema.extend({
  ...askedCommand,
  command: askedCommand.command.describe("a command, or observed for the next pass"),
});
const toCommand = refSchema.extend({
  ...askedCommand,
  idempotencyKey: z.string().min(8).max(200).describe("the same key gives the same answer, and is done once"),
  seenState: z.string().max(100).optional().describe("what the caller saw; a stale click is told what changed"),
});
const toWait = refSchema.extend({
  states: z.array(z.string().max(100)).min(1).max(50),
  lifecycle: z.string().max(63).optional(),
  timeoutMs: z.int().min(0).max(600_000).default(60_000),
});

export const resourceRouter = router({
  get: procedure
    .meta({ description: "One resource, read live: its states, and each command, allowed or not and why." })
    .input(refSchema)
    .output(getSchema)
    .query(({ ctx, input }) => get(ctx.asked, input)),
  explain: procedure
    .meta({ description: "Why it is where it is, what comes next, and each way out with its guard and evidence." })
    .input(refSchema)
    .output(explainSchema)
    .query(({ ctx, input }) => explain(ctx.asked, input)),
  preview: procedure
    .meta({ description: "What a command would do now: the next state and the ordered writes. Nothing is written." })
    .input(toPreview)
    .output(previewSchema)
    .query(({ ctx, input: { command: name, args, ...ref } }) => preview(ctx.asked, ref, name, args)),
  history: procedure
    .meta({ description: "Transitions with their causes, newest first." })
    .input(refSchema.extend({ ...paging, movesOnly: z.boolean().default(false) }))
    .output(historySchema)
    .query(({ ctx, input }) => history(ctx.asked, input, input)),
  digest: procedure
    .meta({ description: "A long history at a glance: how many transitions in each stretch of time, and which." })
    .input(refSchema)
    .output(digestSchema)
    .query(({ ctx, input }) => digest(ctx.asked, input)),
  asOf: procedure
    .meta({ description: "The resource as it was right after a transition, every lifecycle with what decided it." })
    .input(refSchema.extend({ id: z.string().max(30).describe("of the transition") }))
    .output(asOfSchema)
    .query(({ ctx, input: { id, ...ref } }) => asOf(ctx.asked, ref, id)),
  generations: procedure
    .meta({ description: "What was asked for, generation by generation, newest first, without secrets." })
    .input(refSchema.extend({ limit: z.int().min(1).max(100).default(30) }))
    .output(z.array(generationSchema))
    .query(({ ctx, input: { limit, ...ref } }) => generations(ctx.asked, ref, limit)),
  events: procedure
    .meta({ description: "Warning events of the resource and of what it owns, kept past the API server's expiry." })
    .input(refSchema.extend(paging))
    .output(eventsSchema)
    .query(({ ctx, input }) => events(ctx.asked, input, input)),
  objects: procedure
    .meta({ description: "What the resource owns, as a tree." })
    .input(refSchema)
    .output(objectsSchema)
    .query(({ ctx, input }) => objects(ctx.asked, input)),
  yaml: procedure
    .meta({ description: "The object as YAML, without secrets." })
    .input(refSchema)
    .output(yamlSchema)
    .query(({ ctx, input }) => yaml(ctx.asked, input)),
  command: procedure
    .meta({ description: "Asks for a command: what was changed, or why it was refused. Both are in the audit log." })
    .input(toCommand)
    .output(commandAnswerSchema)
    .mutation(({ ctx, input }) => command(ctx.asked, input)),
  wait: procedure
    .meta({ description: "Waits until the resource is in one of the states; says why not, when it is not in time." })
    .input(toWait)
    .output(waitSchema)
    .query(({ ctx, input, signal }) => wait(ctx.asked, input, signal ?? new AbortController().signal)),
  watch: procedure
    .meta({ description: "Live: every change of one resource." })
    .input(refSchema.extend({ lastEventId: z.string().max(30).nullish() }))
    .output(zAsyncIterable(resourceNewsSchema))
    .subscription(({ ctx, input, signal }) =>
      resourceChanges(ctx.asked, input, input.lastEventId, signal ?? new AbortController().signal),
    ),
});
