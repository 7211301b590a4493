/** The log of one run of a container, line by line with the time of each. */
export type ContainerLog = {
  write(chunk: Buffer | string): void;
  lines(): readonly LogLine[];
  /** Called for each line that is written from now on; the result ends it. */
  follow(listener: (line: LogLine) => void): () => void;
  /** Resolves when the run is over and nothing more will be written. */
  ended: Promise<void>;
  end(): void;
};
export type LogLine = { atMs: number; text: string };

// As the kubelet's default, ten megabytes are kept.
const BYTES_MOST = 10 * 1024 * 1024;

export function createContainerLog(now: () => number): ContainerLog {
  const lines: LogLine[] = [];
  const listeners = new Set<(line: LogLine) => void>();
  let partial = "";
  let bytes = 0;
  let finish: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (finish = resolve));

  function add(text: string) {
    const line = { atMs: now(), text };
    lines.push(line);
    bytes += text.length;
    while (bytes > BYTES_MOST && lines.length > 1) bytes -= lines.shift()?.text.length ?? 0;
    listeners.forEach((listener) => listener(line));
  }

  return {
    write: (chunk) => {
      const parts = (partial + chunk.toString()).split("\n");
      partial = parts.pop() ?? "";
      parts.forEach(add);
    },
    lines: () => lines,
    follow: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ended,
    end: () => {
      if (partial !== "") add(partial);
      partial = "";
      finish();
    },
  };
}
