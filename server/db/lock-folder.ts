import { readFileSync } from "node:fs";
import { link, mkdir, readFile, rm, rmdir, stat, unlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { z } from "zod";

/** Takes the folder for this process alone, or says who has it. The lock of a process that died is taken over. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = `${folder}.lock`;
  const mine = JSON.stringify({ pid: process.pid, host: hostname(), started: startOf(process.pid), since: new Date() });
  for (let attempt = 0; attempt < 5; attempt++) {
    if (await written(file, mine)) return () => release(file, mine);
    const holder = await holderOf(file);
    if (holder && isAlive(holder)) {
      throw new Error(
        `the embedded database in ${folder} is in use by process ${holder.pid} on ${holder.host} since ${holder.since}, which you may stop`,
      );
    }
    await clearStale(file);
  }
  throw new Error(`The lock ${file} changes hands all the time: several processes want ${folder}.`);
}

const holderSchema = z.object({ pid: z.int(), host: z.string(), started: z.string().nullable(), since: z.string() });
type Holder = z.infer<typeof holderSchema>;

/** Content first, then the name in one step: a reader never sees half a lock. */
async function written(file: string, content: string): Promise<boolean> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, content);
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function holderOf(file: string): Promise<Holder | null> {
  try {
    return holderSchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return null;
  }
}

/** A process of another machine cannot be judged from here, so it counts as alive. */
function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return true;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
  return holder.started === null || holder.started === startOf(holder.pid);
}

/** Only one process at a time may remove a dead lock, and only after looking at it again. */
async function clearStale(file: string): Promise<void> {
  const guard = `${file}.clearing`;
  try {
    await mkdir(guard);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    const age = Date.now() - (await stat(guard).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (age > 10_000) await rmdir(guard).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return;
  }
  try {
    const holder = await holderOf(file);
    if (!holder || !isAlive(holder)) await rm(file, { force: true });
  } finally {
    await rmdir(guard);
  }
}

async function release(file: string, mine: string): Promise<void> {
  const current = await readFile(file, "utf8").catch(() => null);
  if (current === mine) await unlink(file).catch(() => undefined);
}

/** Start time of a process as the kernel counts it: a process id that was given out again is not the holder. */
function startOf(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields[19] ?? null;
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
