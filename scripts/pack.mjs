// node scripts/pack.mjs [FILE.ts FOLDER]: a file, at first the program, and all of its modules as a few files.
// 500 modules that are found and transpiled one by one cost every start seconds.
import { rmSync } from "node:fs";
import { build } from "esbuild";
import { programFolder, root } from "./prepare.mjs";

const [file = "server/main.ts", folder = programFolder] = process.argv.slice(2);

// Parts have their content's hash as their name: those of an earlier program would stay.
rmSync(folder, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: [file],
  outdir: folder,
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
