import { z } from "zod";
import type { CommandArg } from "@/machines/lifecycle";
import { Refused } from "./refusal";

const ofItsType = "of the argument's type";

/** An argument as its machine declares it. */
export const argSchema = z.object({
  type: z.enum(["integer", "string", "boolean"]),
  title: z.string(),
  min: z.number().optional(),
  max: z.number().optional(),
  options: z.array(z.string()).readonly().optional(),
  default: z.unknown().optional().describe(`what holds when the caller does not say; ${ofItsType}`),
  suggested: z.unknown().optional().describe(`what a form begins with, never taken for said; ${ofItsType}`),
}) satisfies z.ZodType<CommandArg>;

/** A command and what is said with it, as every caller asks. */
export const askedCommand = {
  command: z.string().min(1).max(63),
  args: z
    .record(z.string().max(63), z.unknown())
    .default({})
    .describe("by the names that the command declares, each of its type"),
};

/** The arguments of a command as its machine declares them: checked, with defaults, and nothing else. */
export function argsOf(declared: Record<string, CommandArg>, given: Record<string, unknown>): Record<string, unknown> {
  const shape = Object.fromEntries(Object.entries(declared).map(([name, arg]) => [name, schemaOf(arg)]));
  const parsed = z.strictObject(shape).safeParse(given);
  if (parsed.success) return parsed.data;
  const sentences = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`);
  throw new Refused("invalid", `The arguments are not as the command needs them: ${sentences.join("; ")}.`);
}

const schemas: Record<CommandArg["type"], (arg: CommandArg) => z.ZodType> = {
  integer: ({ min, max }) =>
    z
      .int()
      .min(min ?? Number.MIN_SAFE_INTEGER)
      .max(max ?? Number.MAX_SAFE_INTEGER),
  string: ({ options }) => (options ? z.enum(options) : z.string().max(1_000)),
  boolean: () => z.boolean(),
};

function schemaOf(arg: CommandArg): z.ZodType {
  const schema = schemas[arg.type](arg);
  return arg.default === undefined ? schema : schema.default(arg.default);
}
