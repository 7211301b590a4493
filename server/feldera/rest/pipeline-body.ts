import { z } from "zod";
import { pipelineSpecSchema, programConfigSchema, type Pipeline } from "@/machines/feldera/pipeline.schema";
import { runtimeConfigSchema } from "@/machines/feldera/runtime-config.schema";
import { configFaults } from "../config-rules";
import { nameFault } from "../pipeline-names";
import { PROGRAM_BYTES_MAX, programBytes, tooLargeSentence } from "../program-size";
import { RestError } from "./rest-error";

const bodySchema = z.strictObject({
  name: z.string().optional(),
  description: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  program_code: z.string().optional(),
  udf_rust: z.string().nullish(),
  udf_toml: z.string().nullish(),
  program_config: z.unknown().optional(),
  runtime_config: z.unknown().optional(),
});
export type PipelineBody = z.infer<typeof bodySchema>;

export function parseBody(value: unknown): PipelineBody {
  const parsed = bodySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const message = issue ? `${issue.path.join(".") || "body"}: ${issue.message}` : "not a pipeline";
  throw new RestError(400, "InvalidRequestBody", `The request body is not a pipeline: ${message}.`);
}

export function requireName(name = ""): string {
  const fault = nameFault(name);
  if (fault) throw new RestError(400, fault.code, fault.message, fault.details);
  return name;
}

/** The spec that a body describes: what it leaves out is kept (PATCH) or empty (PUT, POST). */
export function specFrom(body: PipelineBody, before: Pipeline["spec"] | null): Pipeline["spec"] {
  const given = {
    ...before,
    ...defined({
      description: body.description,
      program_code: body.program_code,
      udf_rust: body.udf_rust,
      udf_toml: body.udf_toml,
    }),
    ...(body.tags !== undefined && { tags: body.tags ?? [] }),
    ...(body.program_config !== undefined && {
      program_config: config(programConfigSchema, body.program_config, "InvalidProgramConfig"),
    }),
    ...(body.runtime_config !== undefined && {
      runtime_config: runtimeConfig(body.runtime_config),
    }),
  };
  const spec = pipelineSpecSchema.safeParse(given);
  if (!spec.success) {
    const [issue] = spec.error.issues;
    const path = (issue?.path ?? []).map((part) => (typeof part === "number" ? "*" : part)).join(".");
    throw new RestError(
      400,
      refusedField[path] ?? "InvalidRequestBody",
      `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not allowed"}.`,
    );
  }
  const bytes = programBytes(spec.data);
  if (bytes > PROGRAM_BYTES_MAX) throw tooLarge(tooLargeSentence(bytes));
  return spec.data;
}

const refusedField: Record<string, string> = {
  description: "TooLongDescription",
  tags: "TooManyTags",
  "tags.*": "InvalidTag",
};

export function tooLarge(sentence: string): RestError {
  return new RestError(413, "PayloadTooLarge", sentence, { max_bytes: PROGRAM_BYTES_MAX });
}

function runtimeConfig(value: unknown): Pipeline["spec"]["runtime_config"] {
  const given = config(runtimeConfigSchema, value, "InvalidRuntimeConfig");
  const [fault] = configFaults(given);
  if (fault)
    throw new RestError(400, "InvalidRuntimeConfig", `${fault.field}: ${fault.message}.`, { field: fault.field });
  return given;
}

function config<T>(schema: z.ZodType<T>, value: unknown, code: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  throw new RestError(400, code, `${field ? `${field}: ` : ""}${issue?.message ?? "not allowed"}.`, { field });
}

function defined(fields: Record<string, string | null | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value ?? ""]])),
  );
}
