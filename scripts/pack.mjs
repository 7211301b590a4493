// The program and all of its modules as a few files: 500 modules that are found and transpiled one by one cost every start seconds.
import { rmSync } from "node:fs";
import { build } from "esbuild";
import { programFolder, root } from "./prepare.mjs";

// Parts have their content's hash as their name: those of an earlier program would stay.
rmSync(programFolder, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ["server/main.ts"],
  outdir: programFolder,
  bundle: true,
  // What is loaded when it is asked for stays so.
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20.19",
  packages: "external",
  sourcemap: true,
  sourcesContent: false,
  logLevel: "error",
});
