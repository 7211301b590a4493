import { z } from "zod";
import type { Layout } from "@/server/layout/layout-machine";

const placeSchema = z.object({ id: z.string(), x: z.number(), y: z.number(), width: z.number(), height: z.number() });

const wireSchema = z.object({
  id: z.string(),
  d: z.string().describe("the path, as SVG writes it"),
  label: placeSchema,
  lines: z.array(z.string()).describe("what stands beside it"),
  isAside: z.boolean().describe("told where it leads, and drawn only when it is asked about"),
});

/** Where everything of a diagram stands, all of it within left, top, width and height. */
export const layoutSchema: z.ZodType<Layout> = z
  .object({
    left: z.number(),
    top: z.number(),
    width: z.number(),
    height: z.number(),
    nodes: z.array(placeSchema),
    arrows: z.array(wireSchema),
    entries: z.array(wireSchema).describe("marks of where a machine begins"),
    boxes: z.array(placeSchema),
  })
  .meta({ id: "Layout" });
