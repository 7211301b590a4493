// node scripts/program.mjs COMMAND [options]: brings the checkout up to date, then runs the program in this process.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { prepare, programFolder, root } from "./prepare.mjs";

const [command, ...options] = process.argv.slice(2);
// Who only asks for the options does not wait for the pages.
const opensPages = ["all", "web"].includes(command) && !options.includes("--help");
await prepare(["install", "generate", "pack", ...(opensPages ? ["build"] : [])]);
process.chdir(root);
// An error of our own names the lines that somebody wrote.
process.setSourceMapsEnabled(true);
await import(pathToFileURL(join(programFolder, "main.js")).href);
