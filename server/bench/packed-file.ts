import { execFile } from "node:child_process";
import { basename, join } from "node:path";
import { promisify } from "node:util";

/**
 * A file of the bench packed as `npm start` packs the program. What transpiles on the way also names each closure
 * whenever it is made, and that would be measured too.
 */
export async function packedFile(name: string): Promise<string> {
  const folder = join(process.cwd(), "node_modules", ".orrery", "bench", name);
  await promisify(execFile)(process.execPath, ["scripts/pack.mjs", `server/bench/${name}.ts`, folder]);
  return join(folder, `${basename(name)}.js`);
}
