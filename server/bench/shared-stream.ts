/**
 * What many watchers of one thing get: the same bytes, each in its own time. Whoever is ahead adds to it, and every byte
 * of the others is compared with it; so each event of each watcher is checked, and looked into once.
 */
export type SharedStream = {
  reader(): Reader;
  /** The versions that its events carry, in the order in which they came. */
  versions(): readonly number[];
};

export type Reader = {
  take(chunk: Buffer): void;
  /** Whole events so far. */
  count(): number;
  /** Got what the others got. */
  agrees(): boolean;
};

const NEWLINE = 0x0a;
const VERSION = /^.*"resourceVersion":"(\d+)"/;

export function createSharedStream(): SharedStream {
  let bytes = Buffer.alloc(1_024 * 1_024);
  let length = 0;
  /** Where each whole event ends. */
  const ends: number[] = [];

  function append(chunk: Buffer) {
    while (length + chunk.length > bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2);
    chunk.copy(bytes, length);
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) ends.push(length + at + 1);
    length += chunk.length;
  }

  return {
    reader() {
      let [at, events, agrees] = [0, 0, true];
      return {
        take(chunk) {
          const known = Math.min(length - at, chunk.length);
          agrees &&= chunk.compare(bytes, at, at + known, 0, known) === 0;
          if (known < chunk.length) append(chunk.subarray(known));
          at += chunk.length;
          while (events < ends.length && (ends[events] ?? Infinity) <= at) events += 1;
        },
        count: () => events,
        agrees: () => agrees,
      };
    },
    versions: () =>
      ends.map((end, i) => Number(VERSION.exec(bytes.toString("latin1", ends[i - 1] ?? 0, end))?.[1] ?? Number.NaN)),
  };
}
