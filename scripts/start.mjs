// npm start: everything from a bare checkout, in one process.
import { prepare } from "./prepare.mjs";
import { runTypeScript } from "./run-typescript.mjs";

await prepare(["install", "generate", "build"]);
runTypeScript("server/main.ts", ["all", ...process.argv.slice(2)]);
