/** Ends what hangs; nothing is measured with it. A little before the test's own limit, so that it is told what was waited for. */
const LIMIT_MS = 150_000;
/** What has not come after so many turns of the event loop comes from another process, who needs the processor more. */
const TURNS = 200;
const PAUSE_MS = 5;

/** Resolves with the first value that is neither false nor null nor undefined. */
export async function until<T>(
  what: string,
  look: () => T | false | null | undefined | Promise<T | false | null | undefined>,
): Promise<T> {
  const end = performance.now() + LIMIT_MS;
  for (let turn = 0; ; turn++) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined) return found;
    if (performance.now() > end) throw new Error(`waited ${LIMIT_MS / 1_000} s in vain until ${what}`);
    await new Promise((resolve) => (turn < TURNS ? setImmediate(resolve) : setTimeout(resolve, PAUSE_MS)));
  }
}
