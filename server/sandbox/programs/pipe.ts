import { type Input } from "./program";

/** One end writes, the other reads; an end of file is kept. */
export type Pipe = Input & { write: (chunk: Buffer | string) => void; end: () => void };

export function createPipe(): Pipe {
  const chunks: Buffer[] = [];
  const readers: ((chunk: Buffer | null) => void)[] = [];
  let ended = false;
  return {
    write: (chunk) => {
      if (ended || chunk.length === 0) return;
      const data = Buffer.from(chunk);
      const reader = readers.shift();
      if (reader) reader(data);
      else chunks.push(data);
    },
    end: () => {
      ended = true;
      readers.splice(0).forEach((reader) => reader(null));
    },
    read: () => {
      const chunk = chunks.shift();
      if (chunk) return Promise.resolve(chunk);
      return ended ? Promise.resolve(null) : new Promise((resolve) => readers.push(resolve));
    },
  };
}

export const noInput: Input = { read: () => Promise.resolve(null) };
