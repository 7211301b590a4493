import { createHash } from "node:crypto";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";
import { coreFields } from "./edit-rules";

/** Names the program: what the compilers are given. Equal programs are not compiled twice. */
export function programHash({ program_code, udf_rust, udf_toml, program_config }: Pipeline["spec"]): string {
  return hashOf([program_code, udf_rust, udf_toml, program_config]);
}

/** Whether the program is another one than the one that was, or is being, compiled. */
export function isEdited({ spec, status }: Pipeline): boolean {
  return programHash(spec) !== status.handled.program;
}

/** Names the core of a spec, field by field, so that it can be told which of them an edit has changed. */
export function coreHash(spec: Pipeline["spec"]): string {
  return coreFields.map((field) => hashOf(spec[field]).slice(0, 16)).join(SEPARATOR);
}

/** The fields in which the core differs from the one of this name; none where there was none yet. */
export function changedFields(core: string, spec: Pipeline["spec"]): string[] {
  const [before, now] = [core.split(SEPARATOR), coreHash(spec).split(SEPARATOR)];
  return before.length === now.length ? coreFields.filter((_, index) => before[index] !== now[index]) : [];
}

const SEPARATOR = ".";

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}
