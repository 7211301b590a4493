/** Ends what hangs; nothing is measured with it. */
const LIMIT_MS = 60_000;

/** Resolves with the first value that is neither false nor null nor undefined; looks again at every turn of the event loop. */
export async function until<T>(
  what: string,
  look: () => T | false | null | undefined | Promise<T | false | null | undefined>,
): Promise<T> {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined) return found;
    if (performance.now() > end) throw new Error(`waited ${LIMIT_MS / 1_000} s in vain until ${what}`);
    await new Promise((resolve) => void setImmediate(resolve));
  }
}
