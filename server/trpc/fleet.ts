import { z } from "zod";
import { deltaSchema, fleetChanges } from "@/server/live/fleet-changes";
import { visibleTo } from "@/server/resources/access";
import { latelySchema } from "@/server/resources/history-answers";
import { lately } from "@/server/resources/lately";
import { page } from "@/server/resources/page";
import { filterSchema, pageQuerySchema, pageSchema } from "@/server/resources/page-query";
import { zAsyncIterable } from "./async-iterable";
import { procedure, router } from "./init";

const changesInput = z.object({
  filter: filterSchema.default({}),
  ids: z.array(z.string().max(400)).max(500).default([]).describe("rows on screen"),
  lastEventId: z.string().max(30).nullish().describe("version of the page, or of the last delta"),
});

export const fleetRouter = router({
  page: procedure
    .meta({
      description: "One page of the fleet, filtered and sorted on the server, with the counts of all that matches.",
    })
    .input(pageQuerySchema)
    .output(pageSchema)
    .query(async ({ ctx, input }) => page(ctx.asked.database, input, await visibleTo(ctx.asked, ctx.asked.identity))),
  lately: procedure
    .meta({ description: "What moved last, newest first: from which state to which, why, and who asked for it." })
    .input(z.object({ limit: z.int().min(1).max(100).default(10) }))
    .output(z.array(latelySchema))
    .query(({ ctx, input }) => lately(ctx.asked, input.limit)),
  changes: procedure
    .meta({ description: "Live: deltas for the rows asked for, counts for the rest. Resumes where it was broken." })
    .input(changesInput)
    .output(zAsyncIterable(deltaSchema))
    .subscription(({ ctx, input, signal }) => fleetChanges(ctx.asked, input, signal ?? new AbortController().signal)),
});
