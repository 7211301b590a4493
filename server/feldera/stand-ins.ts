import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { programText } from "@/server/sandbox/programs/node-programs";
import type { FelderaOptions } from "./feldera-options";

/** The scripts that let a bare Node image play a pipeline and its compilers, inside the sandbox and as real pods. */
export function standInScripts({ withParser }: { withParser: boolean }) {
  return {
    pipeline: { "pipeline.mjs": programText("pipeline") },
    compiler: {
      "sql-compiler.mjs": programText("sql-compiler"),
      // The sandbox's compiler has the parser at hand; a real pod has nothing but what is mounted.
      ...(withParser && { "sql-parser.cjs": parserText() }),
    },
  } satisfies FelderaOptions["scripts"];
}

function parserText(): string {
  return readFileSync(createRequire(import.meta.url).resolve("node-sql-parser/umd/postgresql.umd.js"), "utf8");
}
