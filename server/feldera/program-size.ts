import type { Pipeline } from "@/machines/feldera/pipeline.schema";

/** A ConfigMap holds a mebibyte, and the compilers' own scripts take a third of it. */
export const PROGRAM_BYTES_MAX = 600_000;

export function programBytes({ program_code, udf_rust, udf_toml }: Pipeline["spec"]): number {
  return [program_code, udf_rust, udf_toml].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

export function tooLargeSentence(bytes: number): string {
  return `The program has ${bytes} bytes; ${PROGRAM_BYTES_MAX} are the most.`;
}
