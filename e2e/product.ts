import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kinds } from "@/machines/families";
import { openDatabase } from "@/server/db/open-database";
import { replay } from "@/server/history/replay";

export type Product = { url: string; kubeconfig: string; stop: () => Promise<void> };

/** The whole product with its sandbox and demo fleet, in a folder and on a port of its own. */
export async function startProduct(env: Record<string, string> = {}): Promise<Product> {
  const data = await mkdtemp(join(tmpdir(), "orrery-e2e-"));
  const server = spawn(process.execPath, ["scripts/program.mjs", "all"], {
    env: { ...process.env, ORRERY_DATA: data, ORRERY_PORT: "0", ORRERY_CLUSTER: "sandbox", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await addressOf(server);
  return {
    url,
    kubeconfig: join(data, "sandbox", "kubeconfig"),
    stop: async () => {
      await ended(server);
      await mustReplay(data);
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Whatever the stories did: the stored history of every resource folds to its stored states. */
async function mustReplay(data: string): Promise<void> {
  const database = await openDatabase({ dataDir: data });
  const { replayed, divergences } = await replay(database, kinds).finally(() => database.close());
  if (replayed === 0 || divergences.length > 0)
    throw new Error(`Of ${replayed} transitions not all replay: ${JSON.stringify(divergences)}`);
}

function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-20_000);
      const found = /Orrery is at (http:\/\/\S+)/.exec(said);
      if (found?.[1]) resolve(found[1]);
    };
    server.stdout?.on("data", hear);
    server.stderr?.on("data", hear);
    server.once("exit", (code) => reject(new Error(`Orrery ended with ${code ?? "a signal"}:\n${said.slice(-4_000)}`)));
  });
}

/** A stop that is asked for is no failure, and its exit code says so. */
function ended(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    server.removeAllListeners("exit");
    server.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`Orrery was asked to stop, and ended with ${code ?? "a signal"}`));
    });
    server.kill("SIGTERM");
  });
}
