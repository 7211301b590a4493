import type { PipelineStatus } from "@/machines/feldera/pipeline.schema";

/** What the compiler found first, in words; empty where it found nothing. */
export function programErrorText({ program_error: error }: Pick<PipelineStatus, "program_error">): string {
  const first = error?.sql_compilation?.messages.find((message) => !message.warning);
  if (first) return `: line ${first.start_line_number}, column ${first.start_column}: ${first.message}`;
  const rust = error?.rust_compilation?.stderr.split("\n").find((line) => line.startsWith("error"));
  const text = rust ?? error?.system_error;
  return text ? `: ${text}` : "";
}
