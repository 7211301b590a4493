import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Server } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as SqlParser from "node-sql-parser/build/postgresql.js";
import { type CommandIo } from "./command";

/** What a program in plain JavaScript gets, in the sandbox and as a process of its own. */
type ScriptHost = {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  hostname: string;
  readFile(path: string): Promise<string | null>;
  writeFile(path: string, text: string): Promise<void>;
  sleep(ms: number): Promise<void>;
  /** The parser that the stand-in compiler checks SQL with. */
  sqlParser(): Promise<unknown>;
  log(entry: Record<string, unknown>): void;
  setTimeout(act: () => void, ms: number): unknown;
  onSignal(act: () => void): void;
  listen(server: Server, port: number): Promise<void>;
};
type Script = { run(host: ScriptHost): Promise<number> };

/** Programs of the families: plain scripts that also run as real pods, by the name of their file. */
export const nodePrograms: Record<string, (io: CommandIo) => Promise<number>> = {
  engine: scriptNamed("engine"),
  pipeline: scriptNamed("pipeline"),
  "sql-compiler": scriptNamed("sql-compiler"),
};

/** Before the first pod: a program that is loaded when it starts takes time of which the cluster's clock knows nothing. */
export async function loadNodePrograms(): Promise<void> {
  await Promise.all(Object.keys(nodePrograms).map(loaded));
}

/** The text of a program, for the ConfigMap of a real pod. */
export function programText(name: string): string {
  return readFileSync(pathOf(name), "utf8");
}

function scriptNamed(name: string): (io: CommandIo) => Promise<number> {
  return async (io) => {
    const script = await loaded(name);
    return script.run({
      args: io.argv,
      env: io.env,
      hostname: io.hostname,
      readFile: async (path) => io.files.read(path)?.toString("utf8") ?? null,
      writeFile: async (path, text) => {
        if (!io.files.write(path, text, { parents: true })) throw new Error(`${path} cannot be written`);
      },
      sleep: (ms) => io.clock.sleep(ms, io.over),
      // Only the one dialect, and only once somebody compiles: the parser is large.
      sqlParser: async () => new (requireHere("node-sql-parser/build/postgresql.js") as typeof SqlParser).Parser(),
      log: (entry) => io.stdout(`${JSON.stringify(entry)}\n`),
      setTimeout: (act, ms) => io.clock.setTimeout(() => (io.over.aborted ? undefined : act()), ms),
      onSignal: (act) => io.onSignal(() => act()),
      listen: io.listen,
    });
  };
}

const scripts = new Map<string, Promise<Script>>();

function loaded(name: string): Promise<Script> {
  const script = scripts.get(name) ?? load(name);
  scripts.set(name, script);
  return script;
}

async function load(name: string): Promise<Script> {
  // A script has no types of its own; the shape of what it exports is checked here.
  const { run } = (await import(/* @vite-ignore */ pathToFileURL(pathOf(name)).href)) as Partial<Script>;
  if (!run) throw new Error(`program ${name} exports no function run`);
  return { run };
}

// Its names are not found by an import: what it exports is decided when it runs.
const requireHere = createRequire(import.meta.url);

function pathOf(name: string): string {
  return join(process.cwd(), "server", "sandbox", "programs", `${name}.mjs`);
}
