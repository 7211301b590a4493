import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes the files, or with --check says which of them differ from what they should be and exits with 1. */
export async function writeOrCheck(files: Record<string, string>): Promise<void> {
  const check = process.argv.includes("--check");
  for (const [path, text] of Object.entries(files)) {
    const present = await readFile(path, "utf8").catch(() => null);
    if (present === text) continue;
    if (check) {
      process.stderr.write(`${path} is out of date\n`);
      process.exitCode = 1;
      continue;
    }
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    process.stdout.write(`wrote ${path}\n`);
  }
}
