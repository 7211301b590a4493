import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { systemClock } from "@/server/kubernetes/clock";
import { type Connection, type Credentials } from "@/server/kubernetes/connection";
import { createExecCredential } from "@/server/kubernetes/exec-credential";
import { createFreshFile, type FreshFile } from "@/server/kubernetes/fresh-file";

const clusterSchema = z.object({
  server: z.url({ protocol: /^https?$/, error: "must be an address such as https://10.0.0.1:6443" }),
  "certificate-authority": z.string().optional(),
  "certificate-authority-data": z.string().optional(),
  "insecure-skip-tls-verify": z.boolean().optional(),
  "tls-server-name": z.string().optional(),
  "proxy-url": z.string().optional(),
});

export const execSchema = z.object({
  apiVersion: z.enum(["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]),
  command: z.string(),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: z.string().optional(),
  provideClusterInfo: z.boolean().optional(),
});

const userSchema = z.object({
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  "client-certificate": z.string().optional(),
  "client-certificate-data": z.string().optional(),
  "client-key": z.string().optional(),
  "client-key-data": z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  as: z.string().optional(),
  "as-uid": z.unknown().optional(),
  "as-groups": z.unknown().optional(),
  "as-user-extra": z.unknown().optional(),
  exec: execSchema.optional(),
  "auth-provider": z.unknown().optional(),
});

const kubeconfigSchema = z.object({
  "current-context": z.string().optional(),
  clusters: z.array(z.object({ name: z.string(), cluster: clusterSchema })).nullish(),
  users: z.array(z.object({ name: z.string(), user: userSchema.nullish() })).nullish(),
  contexts: z
    .array(z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: z.string().optional() }) }))
    .nullish(),
});

type User = z.infer<typeof userSchema>;
type Cluster = z.infer<typeof clusterSchema>;

/** The connection that a context of a kubeconfig names. The file and those it refers to are read again when they change. */
export async function kubeconfigConnection(path: string, context?: string): Promise<Connection> {
  const file = createFreshFile(path, systemClock);
  let loaded = await load(path, context, file);
  const server = loaded.server;

  return {
    server,
    credentials: async () => {
      const { version } = await file.read();
      if (version !== loaded.version) {
        const fresh = await load(path, context, file);
        if (fresh.server !== server) {
          throw new Error(`${path} now names the server ${fresh.server} instead of ${server}; restart to follow it.`);
        }
        loaded = fresh;
      }
      return loaded.credentials();
    },
    forget: () => {
      file.forget();
      loaded.forget();
    },
  };
}

async function load(path: string, wanted: string | undefined, file: FreshFile) {
  const { text, version } = await file.read().catch((error: unknown) => {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new Error(`The kubeconfig ${path} ${isMissing ? "does not exist" : "cannot be read"}.`, { cause: error });
  });
  const config = parseKubeconfig(path, text);
  const name = wanted ?? config["current-context"];
  if (!name) throw new Error(`The kubeconfig ${path} has no current-context; name one with --context.`);
  const context = config.contexts?.find((entry) => entry.name === name)?.context;
  if (!context) {
    const there = (config.contexts ?? []).map((entry) => `"${entry.name}"`).join(", ") || "none";
    throw new Error(`The kubeconfig ${path} has no context "${name}", but ${there}.`);
  }
  const cluster = config.clusters?.find((entry) => entry.name === context.cluster)?.cluster;
  if (!cluster)
    throw new Error(`The kubeconfig ${path} has no cluster "${context.cluster}", which context "${name}" names.`);
  const found = config.users?.find((entry) => entry.name === context.user);
  if (context.user && !found)
    throw new Error(`The kubeconfig ${path} has no user "${context.user}", which context "${name}" names.`);
  const user = found?.user ?? {};
  refuseWhatWeCannot(path, context.user ?? "", cluster, user);
  return {
    version,
    server: cluster.server.replace(/\/$/, ""),
    ...credentialsOf(dirname(resolve(path)), cluster, user, version),
  };
}

function parseKubeconfig(path: string, text: string) {
  const result = kubeconfigSchema.safeParse(yamlOf(path, text));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new Error(`The kubeconfig ${path} is not valid: ${where}${issue?.message ?? ""}`);
}

function yamlOf(path: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    // The rest of its message draws the place over several lines.
    const [first = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new Error(`The kubeconfig ${path} is not YAML: ${first.replace(/:$/, "")}.`, { cause: error });
  }
}

function refuseWhatWeCannot(path: string, name: string, cluster: Cluster, user: User) {
  if (user["auth-provider"] !== undefined) {
    throw new Error(
      `The user "${name}" in ${path} uses auth-provider, which Kubernetes removed in 1.26; use an exec plugin or a token.`,
    );
  }
  // Left out in silence, it would act with other rights than the file says.
  const unknown = (["as-uid", "as-groups", "as-user-extra"] as const).find((field) => user[field] !== undefined);
  if (unknown) throw new Error(`The user "${name}" in ${path} sets ${unknown}, which is not supported; use as alone.`);
  if (cluster["proxy-url"])
    throw new Error(`The kubeconfig ${path} asks for the proxy ${cluster["proxy-url"]}; proxies are not supported.`);
}

function credentialsOf(folder: string, cluster: Cluster, user: User, version: number) {
  const ca = source(folder, cluster["certificate-authority"], cluster["certificate-authority-data"]);
  const cert = source(folder, user["client-certificate"], user["client-certificate-data"]);
  const key = source(folder, user["client-key"], user["client-key-data"]);
  const token = source(folder, user.tokenFile, undefined);
  const exec = user.exec ? createExecCredential(user.exec, cluster, folder) : null;

  const credentials = async (): Promise<Credentials> => {
    const [authority, certificate, secret, bearer, plugin] = await Promise.all([
      ca.read(),
      cert.read(),
      key.read(),
      token.read(),
      exec?.read() ?? null,
    ]);
    const headers: Record<string, string> = {};
    const given = plugin?.token ?? bearer.text?.trim() ?? user.token;
    if (given) headers.authorization = `Bearer ${given}`;
    else if (user.username) headers.authorization = `Basic ${btoa(`${user.username}:${user.password ?? ""}`)}`;
    if (user.as) headers["impersonate-user"] = user.as;
    return {
      headers,
      tls: {
        ca: authority.text,
        cert: plugin?.clientCertificateData ?? certificate.text,
        key: plugin?.clientKeyData ?? secret.text,
        serverName: cluster["tls-server-name"],
        insecure: cluster["insecure-skip-tls-verify"],
      },
      version: [
        version,
        authority.version,
        certificate.version,
        secret.version,
        plugin?.clientCertificateData ?? "",
      ].join("/"),
    };
  };
  const forget = () => {
    for (const part of [ca, cert, key, token]) part.forget();
    exec?.forget();
  };
  return { credentials, forget };
}

/** A file, inline base64, or nothing: inline data wins, as with kubectl. */
function source(folder: string, path: string | undefined, data: string | undefined) {
  if (data) {
    const text = Buffer.from(data, "base64").toString("utf8");
    return { read: async () => ({ text, version: 0 }), forget: () => undefined };
  }
  if (path) return createFreshFile(resolve(folder, path), systemClock);
  return { read: async () => ({ text: undefined, version: 0 }), forget: () => undefined };
}
