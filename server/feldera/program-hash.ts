import { createHash } from "node:crypto";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";

/** Names the program: what the compilers are given. Equal programs are not compiled twice. */
export function programHash({ program_code, udf_rust, udf_toml, program_config }: Pipeline["spec"]): string {
  return hashOf([program_code, udf_rust, udf_toml, program_config]);
}

/** Names everything that an edit can change, the wishes aside. */
export function coreHash(spec: Pipeline["spec"]): string {
  return hashOf([programHash(spec), spec.runtime_config, spec.description]);
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}
