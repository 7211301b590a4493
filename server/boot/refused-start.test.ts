import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createStages } from "@/server/boot/stages";
import { startWorker } from "@/server/boot/start-worker";
import { parseEnv, UsageError } from "@/server/env";
import { silentLog } from "@/server/observability/log";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";
import { kubeconfigOf } from "@/server/sandbox/kubeconfig";
import { startOrrery } from "@/server/testing/orrery-process";

let folder: string;
let taken: Server;
let port: string;
let sandbox: Sandbox;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "orrery-refused-"));
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is never a string.
  port = String((taken.address() as AddressInfo).port);
  sandbox = await createSandbox({ controllers: false });
  writeFileSync(join(folder, "a-file"), "");
  writeFileSync(join(folder, "cluster"), sandbox.kubeconfig());
  writeFileSync(join(folder, "stranger"), asUser({ token: "nobody-gave-it" }));
  writeFileSync(join(folder, "powerless"), asUser({}));
  writeFileSync(join(folder, "away"), kubeconfigOf({ server: `https://127.0.0.1:${NOBODY}`, token: "", cert: "" }));
  writeFileSync(join(folder, "broken"), "clusters: [");
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "false", installHint: "Ask for it" };
  writeFileSync(join(folder, "plugin"), asUser({ exec }));
  writeFileSync(join(folder, "no-authority"), withAuthority(inFolder("nowhere.crt")));
});

afterAll(async () => {
  taken.close();
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The sandbox's kubeconfig with the credentials of somebody else; without any, one is anonymous. */
function asUser(user: { token?: string; exec?: object }): string {
  const config = JSON.parse(sandbox.kubeconfig()) as { users: { name: string }[] };
  return JSON.stringify({ ...config, users: config.users.map(({ name }) => ({ name, user })) });
}

/** The sandbox's kubeconfig with the name of a file in the place of its authority's certificate. */
function withAuthority(file: string): string {
  const config = JSON.parse(sandbox.kubeconfig()) as { clusters: { name: string; cluster: { server: string } }[] };
  const clusters = config.clusters.map(({ name, cluster: { server } }) => {
    return { name, cluster: { server, "certificate-authority": file } };
  });
  return JSON.stringify({ ...config, clusters });
}

/** Nobody listens on the port of tcpmux. */
const NOBODY = 1;
const database = `postgres://orrery@127.0.0.1:${NOBODY}/orrery`;
const inFolder = (name: string) => join(folder, name);

type Command = "all" | "worker" | "sandbox";

/** All that the program said on its way out, save the steps that were begun and went well. */
async function refusal(command: Command, args: readonly string[], env: Record<string, string> = {}) {
  const started = startOrrery(command, args, { env: { ORRERY_DATA: inFolder("data"), ...env } });
  const { code } = await started.ended();
  const lines = started.said().split("\n");
  return { code, told: lines.filter((line) => line !== "" && !/^ {2}[…✓] /.test(line)) };
}

type Row = [what: string, command: Command, args: () => string[], says: RegExp, env?: Record<string, string>];

describe("a start that cannot be is refused in one sentence that says what to do:", () => {
  const rows: Row[] = [
    [
      "a port in use",
      "all",
      () => ["--port", port],
      /Port \d+ on 127\.0\.0\.1 is in use: stop what uses it, or choose another one with --port\./,
    ],
    [
      "a data folder that is a file",
      "all",
      () => ["--port", "0", "--data", inFolder("a-file")],
      /The data folder .*a-file cannot be used: .*; choose another one with --data\./,
    ],
    [
      "a data folder where no folders are made",
      "all",
      () => ["--port", "0", "--data", "/proc/self/orrery"],
      /The data folder \/proc\/self\/orrery cannot be used: .*; choose another one with --data\./,
    ],
    [
      "a folder of the sandbox where no folders are made",
      "sandbox",
      () => ["--data", "/proc/self/orrery"],
      /The sandbox cluster cannot start: .*; choose another folder with --data, or another port with --sandbox-port\./,
    ],
    [
      "a database that does not answer",
      "all",
      () => ["--port", "0"],
      /The database postgres:\/\/127\.0\.0\.1:1\/orrery does not answer: .*; check DATABASE_URL and that the server runs\./,
      { DATABASE_URL: database },
    ],
    [
      "a cluster that does not answer",
      "worker",
      () => ["--kubeconfig", inFolder("away")],
      /The cluster at https:\/\/127\.0\.0\.1:1 cannot be reached: .*; check that it runs, or name another one with --kubeconfig\./,
      { DATABASE_URL: database },
    ],
    [
      "a kubeconfig file that is not there",
      "worker",
      () => ["--kubeconfig", inFolder("nowhere")],
      /The cluster cannot be used: The kubeconfig .*nowhere does not exist; name another one with --kubeconfig and --context\./,
      { DATABASE_URL: database },
    ],
    [
      "a context that the kubeconfig does not have",
      "worker",
      () => ["--kubeconfig", inFolder("cluster"), "--context", "elsewhere"],
      /The cluster cannot be used: The kubeconfig .*cluster has no context "elsewhere", but "orrery-sandbox"; name another one/,
      { DATABASE_URL: database },
    ],
    [
      "an exec plugin that gives no credentials",
      "worker",
      () => ["--kubeconfig", inFolder("plugin")],
      /The cluster cannot be used: The kubeconfig's exec plugin "false" failed \(exit code 1\)\. Ask for it; name another one/,
      { DATABASE_URL: database },
    ],
    [
      "a certificate authority whose file is not there",
      "worker",
      () => ["--kubeconfig", inFolder("no-authority")],
      /The cluster cannot be used: ENOENT: no such file or directory, .*nowhere\.crt'; name another one/,
      { DATABASE_URL: database },
    ],
    [
      "credentials that the cluster does not accept",
      "worker",
      () => ["--kubeconfig", inFolder("stranger")],
      /The cluster at \S+ does not accept the credentials that it was sent; renew them in the kubeconfig, or name another user's context with --context\./,
      { DATABASE_URL: database },
    ],
    [
      "a user without rights",
      "worker",
      () => ["--kubeconfig", inFolder("powerless")],
      /The cluster refused what the start needs: .* is forbidden: .*; check that it answers, and that this user has the rights of deploy\/rbac\.yaml\./,
      { DATABASE_URL: database },
    ],
    ["an option that there is not", "all", () => ["--colour"], /--colour is not an option; --help lists them\./],
  ];

  test.concurrent.each(rows)("%s", async (_what, command, args, says, env) => {
    const { code, told } = await refusal(command, args(), env);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(new RegExp(`^ {2}✗ ${says.source}`));
    expect(code).toBe(1);
  });
});

describe("a worker is refused, as what the caller can mend:", () => {
  const start = async (options: Record<string, string>) => {
    const stages = createStages(() => undefined);
    const parts = { env: parseEnv(options), stages, log: silentLog, giveUp: () => undefined };
    try {
      await startWorker(parts, () => undefined);
    } catch (error) {
      return error;
    } finally {
      await stages.stop();
    }
    return null;
  };

  test.each<[what: string, options: () => Record<string, string>, says: RegExp]>([
    ["without a cluster", () => ({}), /^Name the cluster with --kubeconfig FILE, or with --cluster in-cluster;/],
    [
      "without a database",
      () => ({ ORRERY_KUBECONFIG: inFolder("cluster") }),
      /^Name a PostgreSQL server with DATABASE_URL:/,
    ],
    [
      "with a kubeconfig that is none",
      () => ({ ORRERY_KUBECONFIG: inFolder("broken"), DATABASE_URL: database }),
      /^The cluster cannot be used: The kubeconfig .*broken is not YAML: [^\n]*; name another one with --kubeconfig/,
    ],
    [
      "by a cluster without its namespace",
      () => ({ ORRERY_KUBECONFIG: inFolder("cluster"), ORRERY_NAMESPACE: "nowhere", DATABASE_URL: database }),
      /^The cluster has no namespace nowhere: run `kubectl create namespace nowhere`, or name another with --namespace\.$/,
    ],
    [
      "by a cluster without the kinds",
      () => ({ ORRERY_KUBECONFIG: inFolder("cluster"), ORRERY_NAMESPACE: "default", DATABASE_URL: database }),
      /^The cluster does not know .*: run `kubectl apply -f deploy\/crds` on it first\.$/,
    ],
  ])("%s", async (_what, options, says) => {
    const error = await start(options());
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toMatch(new RegExp(says.source.replace("^", "^UsageError: ")));
  });
});
