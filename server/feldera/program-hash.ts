import { createHash } from "node:crypto";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";

/** Names the program: what the compilers are given. Equal programs are not compiled twice. */
export function programHash({ program_code, udf_rust, udf_toml, program_config }: Pipeline["spec"]): string {
  return hashOf([program_code, udf_rust, udf_toml, program_config]);
}

/** Whether the program is another one than the one that was, or is being, compiled. */
export function isEdited({ spec, status }: Pipeline): boolean {
  return programHash(spec) !== status.handled.program;
}

/** Names what an edit can change of how a pipeline computes: neither the wishes nor words about it. */
export function coreHash(spec: Pipeline["spec"]): string {
  return hashOf([programHash(spec), spec.runtime_config]);
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}
