/** An expression that does not compile, pointed at the way CEL's own compiler does. */
export class CelError extends Error {
  constructor(source: string, at: number, problem: string) {
    const before = source.slice(0, at).split("\n");
    const line = before.length;
    const column = before.at(-1)?.length ?? 0;
    const text = source.split("\n")[line - 1] ?? "";
    super(`ERROR: <input>:${line}:${column + 1}: ${problem}\n | ${text}\n | ${".".repeat(column)}^`);
  }
}
