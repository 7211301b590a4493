import type { AnyTRPCProcedure } from "@trpc/server";
import { z } from "zod";
import { appRouter } from "@/server/trpc/root";
import type { ProcedureMeta } from "@/server/trpc/init";

/** A procedure as callers that are not TypeScript see it. */
export type Described = {
  path: string;
  type: "query" | "mutation" | "subscription";
  description: string;
  input: z.ZodType | null;
  output: z.ZodType | null;
  /** What a subscription sends, one by one. */
  item: z.ZodType | null;
};

/** Every procedure of the router, by its dotted name. */
export const procedures: ReadonlyMap<string, Described> = new Map(
  // The router keeps its procedures in one flat record; its type leaves open what they are.
  Object.entries(appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure>).map(([path, procedure]) => {
    const { type, meta, inputs, output } = definitionOf(procedure);
    const item = output instanceof z.ZodType ? itemOf(output) : null;
    return [
      path,
      {
        path,
        type,
        description: (meta as ProcedureMeta | undefined)?.description ?? "",
        input: inputs.find((input) => input instanceof z.ZodType) ?? null,
        output: output instanceof z.ZodType ? output : null,
        item,
      },
    ];
  }),
);

type Definition = { type: Described["type"]; meta?: unknown; inputs: unknown[]; output?: unknown };

/** tRPC keeps a procedure's parsers in `_def`, which its types hide. */
function definitionOf(procedure: AnyTRPCProcedure): Definition {
  return procedure._def;
}

function itemOf(output: z.ZodType): z.ZodType | null {
  const item = output.meta()?.itemSchema;
  return item instanceof z.ZodType ? item : null;
}
