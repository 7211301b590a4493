import { readFile, stat } from "node:fs/promises";
import { type Clock } from "@/server/kubernetes/clock";

/** Kubelets rewrite a projected token at 80 % of its life; a look every 10 s is early enough and costs one stat. */
const FILE_LOOK_MS = 10_000;

/** A file's text, read again when the file has changed. A file that vanishes for a moment keeps its last text. */
export function createFreshFile(path: string, clock: Pick<Clock, "monotonic">) {
  let text: string | null = null;
  let stamp = "";
  let lookedAt = -Infinity;
  let version = 0;

  return {
    read: async (): Promise<{ text: string; version: number }> => {
      if (text !== null && clock.monotonic() - lookedAt < FILE_LOOK_MS) return { text, version };
      lookedAt = clock.monotonic();
      try {
        const { mtimeMs, size, ino } = await stat(path);
        const found = `${mtimeMs}/${size}/${ino}`;
        if (text === null || found !== stamp) {
          const fresh = await readFile(path, "utf8");
          if (fresh !== text) version++;
          text = fresh;
          stamp = found;
        }
      } catch (error) {
        if (text === null) throw error;
      }
      return { text, version };
    },
    forget: () => {
      lookedAt = -Infinity;
    },
  };
}

export type FreshFile = ReturnType<typeof createFreshFile>;
