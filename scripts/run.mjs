// node scripts/run.mjs FILE.ts [arguments]: brings the checkout up to date, then runs the file.
import { runTypeScript } from "./run-typescript.mjs";
import { prepare } from "./prepare.mjs";

const [file, ...args] = process.argv.slice(2);
const opensPages = file === "scripts/screenshots.ts";
await prepare(opensPages ? ["install", "generate", "build"] : ["install", "generate"]);
runTypeScript(file, args);
