import { z } from "zod";
import { auditPageSchema } from "@/server/resources/command-answers";
import { auditPage } from "@/server/resources/audit";
import { bulkInputSchema, forecast, forecastSchema } from "@/server/resources/bulk";
import { jobSchema } from "@/server/resources/bulk-store";
import { flow } from "@/server/resources/flow";
import { flowSchema, machineSchema, machinesListSchema, picturesSchema } from "@/server/resources/machine-answers";
import { machine, machinesList, pictures } from "@/server/resources/machines";
import { kindIdSchema, refSchema } from "@/server/resources/ref";
import { whoami, whoamiSchema } from "@/server/resources/whoami";
import { fleetRouter } from "./fleet";
import { createCallerFactory, procedure, router } from "./init";
import { resourceRouter } from "./resource";

const ofMachine = z.object({
  kind: kindIdSchema,
  lifecycle: z.string().max(63).optional().describe("the kind's first one unless told"),
  hash: z.string().max(64).optional().describe("a version of the machine; the current one unless told"),
});
const ofJob = z.object({ id: z.uuid() });

export const appRouter = router({
  fleet: fleetRouter,
  resource: resourceRouter,
  machines: router({
    list: procedure
      .meta({
        description: "Every machine with the number of resources in each of its states, and how long they stay.",
      })
      .output(machinesListSchema)
      .query(({ ctx }) => machinesList(ctx.asked)),
    pictures: procedure
      .meta({ description: "Every machine as a thumbnail: places and arrows, by the machine's hash." })
      .output(picturesSchema)
      .query(({ ctx }) => pictures(ctx.asked)),
    get: procedure
      .meta({ description: "One machine: definition, layout, spec table, counts and dwell times per state and edge." })
      .input(ofMachine)
      .output(machineSchema)
      .query(({ ctx, input }) => machine(ctx.asked, input)),
    flow: procedure
      .meta({
        description: "How the fleet moved through a machine: rates and stays per state and edge, of the last day.",
      })
      .input(z.object({ kind: kindIdSchema, lifecycle: z.string().max(63) }))
      .output(flowSchema)
      .query(({ ctx, input }) => flow(ctx.asked, input)),
  }),
  commands: router({
    page: procedure
      .meta({ description: "The audit log: every command, allowed or refused, newest first." })
      .input(
        z.object({
          of: refSchema.optional(),
          actor: z.string().max(300).optional(),
          cursor: z.string().max(100).optional(),
          limit: z.int().min(1).max(200).default(50),
        }),
      )
      .output(auditPageSchema)
      .query(({ ctx, input }) => auditPage(ctx.asked, input)),
  }),
  bulk: router({
    forecast: procedure
      .meta({ description: "What a command would be answered for each of many resources." })
      .input(bulkInputSchema)
      .output(forecastSchema)
      .query(({ ctx, input }) => forecast(ctx.asked, input)),
    run: procedure
      .meta({ description: "Asks for a command for many resources: a job on the server that survives a closed page." })
      .input(bulkInputSchema)
      .output(jobSchema)
      .mutation(({ ctx, input }) => ctx.services.bulk.run(ctx.asked, input)),
    get: procedure
      .meta({ description: "A bulk job with the result of each item." })
      .input(ofJob)
      .output(jobSchema)
      .query(({ ctx, input }) => ctx.services.bulk.get(ctx.asked, input.id)),
    cancel: procedure
      .meta({ description: "Stops a bulk job before its next item." })
      .input(ofJob)
      .output(jobSchema)
      .mutation(({ ctx, input }) => ctx.services.bulk.cancel(ctx.asked, input.id)),
  }),
  whoami: procedure
    .meta({ description: "Who asks, of which cluster, and how fresh what Orrery shows is." })
    .output(whoamiSchema)
    .query(({ ctx }) => whoami(ctx.asked, ctx.services.about)),
});

export type AppRouter = typeof appRouter;

export const createCaller = createCallerFactory(appRouter);
