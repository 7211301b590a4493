import { spawn } from "node:child_process";

/** The pages as a process of their own, beside the cluster that KUBECONFIG names and over this database. */
export async function startWebProcess(databaseUrl: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = spawn(process.execPath, ["scripts/program.mjs", "web", "--port", "0"], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      ORRERY_CLUSTER: "kubeconfig",
      ORRERY_KUBECONFIG: process.env.KUBECONFIG,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    const hear = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-20_000);
      const found = /Orrery is at (http:\/\/\S+)/.exec(said)?.[1];
      if (found) resolve(found);
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.once("exit", (code) =>
      reject(new Error(`the pages ended with ${code ?? "a signal"}:\n${said.slice(-4_000)}`)),
    );
  });
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        server.removeAllListeners("exit");
        // It may have been ended by the same signal as we.
        if (server.exitCode !== null || server.signalCode !== null) {
          resolve();
          return;
        }
        server.once("exit", () => resolve());
        server.kill("SIGTERM");
      }),
  };
}
