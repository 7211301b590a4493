// node scripts/pack.mjs [FILE.ts FOLDER]: a file, by default the program, and all of its modules as a few files.
// 500 modules that are found and transpiled one by one cost every start seconds.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { programFolder, root } from "./prepare.mjs";

const [file = "server/main.ts", folder = programFolder] = process.argv.slice(2);
/** A program that was started from an earlier pack loads some of its parts when they are asked for: they stay for so long. */
const KEPT_MS = 7 * 24 * 3_600_000;

const { outputFiles } = await build({
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
  write: false,
  logLevel: "error",
});

mkdirSync(folder, { recursive: true });
// The entry last, and each file at once: who starts meanwhile finds this program or the one before, whole.
const entry = basename(file).replace(/ts$/, "js");
const isEntry = ({ path }) => Number(basename(path) === entry);
for (const { path, contents } of outputFiles.sort((one, other) => isEntry(one) - isEntry(other))) {
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, contents);
  renameSync(fresh, path);
}

// Parts have their content's hash as their name: those of earlier programs would pile up.
const made = new Set(outputFiles.map(({ path }) => basename(path)));
for (const name of readdirSync(folder).filter((name) => !made.has(name))) {
  const path = join(folder, name);
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > KEPT_MS) rmSync(path, { force: true });
}
