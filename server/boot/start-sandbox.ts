import { createClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { openSandbox } from "./connect-cluster";
import { installCrds } from "./install-crds";
import type { Parts } from "./start-parts";

/** The embedded cluster alone, with our kinds in it, for kubectl and for a worker of its own. */
export async function startSandbox({ env, stages }: Parts, say: (line: string) => void): Promise<void> {
  const sandbox = await stages.run(
    "start the sandbox cluster",
    () => openSandbox(env),
    (started) => started.stop(),
  );
  await stages.run("bring in the custom resources", async () => {
    const client = createClient({ connection: sandbox.connection(), clock: systemClock });
    await installCrds(client);
    await client.close();
  });
  say(`\n  The sandbox cluster is at ${sandbox.url}\n  export KUBECONFIG=${sandbox.kubeconfigPath ?? ""}`);
}
