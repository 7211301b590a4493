/** An object may have 1.5 MB (etcd's limit for a request); far above that, the stream is not a watch. */
const LINE_BYTES_MAX = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines at 0x0A alone: other Unicode line ends may stand inside a JSON string. */
export function createLineSplitter(onLine: (line: string) => void) {
  let rest: Buffer[] = [];
  let restBytes = 0;

  const take = (part: Buffer): string => {
    if (rest.length === 0) return part.toString("utf8");
    const whole = Buffer.concat([...rest, part]);
    rest = [];
    restBytes = 0;
    return whole.toString("utf8");
  };

  return (chunk: Buffer) => {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      const line = take(chunk.subarray(start, at));
      start = at + 1;
      if (line.trim() !== "") onLine(line);
    }
    if (start === chunk.length) return;
    rest.push(chunk.subarray(start));
    restBytes += chunk.length - start;
    if (restBytes > LINE_BYTES_MAX) throw new Error(`a line of more than ${LINE_BYTES_MAX} bytes`);
  };
}
