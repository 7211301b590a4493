// npm start: everything from a bare checkout, in one process.
import { prepare } from "./prepare.mjs";
import { runTypeScript } from "./run-typescript.mjs";

// Who only asks for the options does not wait for the pages.
const steps = process.argv.includes("--help") ? ["install", "generate"] : ["install", "generate", "build"];
await prepare(steps);
runTypeScript("server/main.ts", ["all", ...process.argv.slice(2)]);
