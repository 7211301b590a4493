import { type ProcessHost } from "./program";

/** What a command inside a container works with; a shell changes parts of it for the commands that it runs. */
export type CommandIo = Pick<
  ProcessHost,
  "files" | "clock" | "address" | "hostname" | "ports" | "stdin" | "stdout" | "stderr" | "over" | "listen" | "onSignal"
> & {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  directory: string;
};

/** Runs until it resolves with the exit code. */
export type Command = (io: CommandIo) => Promise<number>;

/** Everything on standard input. */
export async function readAll(io: Pick<CommandIo, "stdin">): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let chunk = await io.stdin.read(); chunk !== null; chunk = await io.stdin.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Sleeps on the clock; false when the process was ended meanwhile. */
export async function pause(io: Pick<CommandIo, "clock" | "over">, ms: number): Promise<boolean> {
  await io.clock.sleep(ms, io.over);
  return !io.over.aborted;
}
