// npm run bench: packed like the program itself, since what transpiles on the way makes every closure dearer.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { prepare, root, stampFolder } from "./prepare.mjs";

await prepare(["install", "generate", "pack", "build"]);
process.chdir(root);
const folder = join(stampFolder, "bench", "bench");
execFileSync(process.execPath, ["scripts/pack.mjs", "server/bench/bench.ts", folder], { stdio: "inherit" });
process.setSourceMapsEnabled(true);
await import(pathToFileURL(join(folder, "bench.js")).href);
