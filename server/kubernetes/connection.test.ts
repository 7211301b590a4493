import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { connectionFrom } from "@/server/kubernetes/connection";
import { createFreshFile } from "@/server/kubernetes/fresh-file";
import { inClusterConnection } from "@/server/kubernetes/in-cluster";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orrery-connection-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

function kubeconfig(user: object, cluster: object = {}): string {
  return file(
    "config",
    JSON.stringify({
      "current-context": "here",
      clusters: [{ name: "c", cluster: { server: "https://cluster.example:6443/", ...cluster } }],
      users: [
        { name: "u", user },
        { name: "other", user: { token: "other-token" } },
      ],
      contexts: [
        { name: "here", context: { cluster: "c", user: "u" } },
        { name: "there", context: { cluster: "c", user: "other" } },
      ],
    }),
  );
}

const connectAs = (user: object, cluster?: object) => connectionFrom({ kubeconfig: kubeconfig(user, cluster) });

describe("a kubeconfig", () => {
  test.each([
    ["a token", { token: "t" }, { authorization: "Bearer t" }],
    ["a token's file beside it", { tokenFile: "token" }, { authorization: "Bearer from-file" }],
    ["a name and a password", { username: "a", password: "b" }, { authorization: `Basic ${base64("a:b")}` }],
    ["somebody to act as", { token: "t", as: "jane" }, { authorization: "Bearer t", "impersonate-user": "jane" }],
  ])("gives %s", async (_what, user, headers) => {
    file("token", "from-file\n");
    const connection = await connectAs(user);
    expect(connection.server).toBe("https://cluster.example:6443");
    expect((await connection.credentials()).headers).toEqual(headers);
  });

  test.each<[user: object, cluster: object, says: RegExp]>([
    [{ "auth-provider": { name: "gcp" } }, {}, /uses auth-provider, which Kubernetes removed in 1\.26/],
    [{ as: "jane", "as-groups": ["admins"] }, {}, /sets as-groups, which is not supported; use as alone\.$/],
    [
      {},
      { server: "cluster.example:6443" },
      /is not valid: clusters\.0\.cluster\.server: must be an address such as https:\/\/10\.0\.0\.1:6443/,
    ],
    [{}, { "proxy-url": "http://proxy" }, /asks for the proxy http:\/\/proxy; proxies are not supported\.$/],
  ])("refuses what it cannot do, rather than to leave it out: %o %o", async (user, cluster, says) => {
    await expect(connectAs(user, cluster)).rejects.toThrow(says);
  });

  test("gives a client certificate, from its own data or from files", async () => {
    for (const name of ["ca", "cert", "key"]) file(`${name}.pem`, name);
    const fromFiles = await connectAs(
      { "client-certificate": "cert.pem", "client-key": "key.pem" },
      { "certificate-authority": "ca.pem" },
    );
    const fromData = await connectAs(
      { "client-certificate-data": base64("cert"), "client-key-data": base64("key") },
      { "certificate-authority-data": base64("ca") },
    );
    for (const connection of [fromFiles, fromData]) {
      expect((await connection.credentials()).tls).toMatchObject({ ca: "ca", cert: "cert", key: "key" });
    }
  });

  test("is asked for the context that was named", async () => {
    const connection = await connectionFrom({ kubeconfig: kubeconfig({ token: "t" }), context: "there" });
    expect((await connection.credentials()).headers).toEqual({ authorization: "Bearer other-token" });
  });

  test("that has changed is read again once the server refuses, and a new certificate wants new connections", async () => {
    const connection = await connectAs({ token: "old" });
    const before = await connection.credentials();
    kubeconfig({ token: "newer", "client-certificate-data": base64("cert") });
    expect((await connection.credentials()).headers).toEqual({ authorization: "Bearer old" });
    connection.forget();
    const after = await connection.credentials();
    expect(after.headers).toEqual({ authorization: "Bearer newer" });
    expect(after.version).not.toBe(before.version);
  });

  test("that now names another server is not followed there", async () => {
    const connection = await connectAs({ token: "t" });
    kubeconfig({ token: "t" }, { server: "https://elsewhere.example" });
    connection.forget();
    await expect(connection.credentials()).rejects.toThrow(/now names the server https:\/\/elsewhere\.example instead/);
  });
});

describe("an exec plugin", () => {
  /** Counts how often it was asked, in a file beside it. */
  const pluginSaying = (script: string) => {
    const asked = file("asked", "");
    const command = `require("fs").appendFileSync(${JSON.stringify(asked)}, "x");${script}`;
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: ["-e", command],
      env: [{ name: "PLUGIN_WORD", value: "word" }],
    };
    return { exec, asked: () => readFileSync(asked, "utf8").length };
  };
  const credential = (status: string) =>
    `console.log(JSON.stringify({ apiVersion: JSON.parse(process.env.KUBERNETES_EXEC_INFO).apiVersion, kind: "ExecCredential", status: ${status} }))`;

  test("is asked once, and again when the server refuses what it gave", async () => {
    const { exec, asked } = pluginSaying(credential("{ token: process.env.PLUGIN_WORD }"));
    const connection = await connectAs({ exec });
    for (let request = 0; request < 2; request++) {
      expect((await connection.credentials()).headers).toEqual({ authorization: "Bearer word" });
    }
    expect(asked()).toBe(1);
    connection.forget();
    await connection.credentials();
    expect(asked()).toBe(2);
  });

  test("is asked again before what it gave expires, and may give a certificate", async () => {
    const soon = new Date(Date.now() + 5_000).toISOString();
    const { exec, asked } = pluginSaying(
      credential(`{ clientCertificateData: "cert", clientKeyData: "key", expirationTimestamp: "${soon}" }`),
    );
    const connection = await connectAs({ exec });
    expect((await connection.credentials()).tls).toMatchObject({ cert: "cert", key: "key" });
    await connection.credentials();
    expect(asked()).toBe(2);
  });

  test.each([
    ["fails", `console.error("hunter2"); process.exit(3)`, /failed \(exit code 3\)\.$/],
    ["says what is no JSON", `console.log("hunter2")`, /answered with something that is no ExecCredential\.$/],
    [
      "says something else",
      credential(`{ token: ["hunter2"] }`),
      /answered with something that is no ExecCredential\.$/,
    ],
  ])("that %s is named in one sentence without a word of its own", async (_what, script, says) => {
    const connection = await connectAs({ exec: pluginSaying(script).exec });
    const error = await connection.credentials().catch((thrown: unknown) => thrown);
    const { message } = error as Error;
    expect(message).toMatch(says);
    expect(message).not.toMatch(/hunter2|\n/);
  });
});

describe("in a pod", () => {
  const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

  test("the account's token and authority are used, and read again when the kubelet has renewed them", async () => {
    file("ca.crt", "ca");
    file("token", "old\n");
    const connection = await inClusterConnection(env, folder);
    expect(connection.server).toBe("https://10.0.0.1:443");
    const before = await connection.credentials();
    expect(before).toMatchObject({ headers: { authorization: "Bearer old" }, tls: { ca: "ca" } });
    file("token", "renewed\n");
    file("ca.crt", "another ca");
    connection.forget();
    const after = await connection.credentials();
    expect(after).toMatchObject({ headers: { authorization: "Bearer renewed" }, tls: { ca: "another ca" } });
    expect(after.version).not.toBe(before.version);
  });

  test("an address of IPv6 is put in brackets", async () => {
    file("ca.crt", "ca");
    file("token", "t");
    const connection = await inClusterConnection({ ...env, KUBERNETES_SERVICE_HOST: "fd00::1" }, folder);
    expect(connection.server).toBe("https://[fd00::1]:443");
  });

  test("what is missing is told in one sentence", async () => {
    await expect(inClusterConnection({}, folder)).rejects.toThrow(/^This is no pod of a cluster: /);
    await expect(inClusterConnection(env, folder)).rejects.toThrow(/is automountServiceAccountToken off\?$/);
  });
});

test("a file is looked at again after 10 s, and one that is gone for a moment keeps its text", async () => {
  let now = 0;
  const path = file("token", "first");
  const fresh = createFreshFile(path, { monotonic: () => now });
  expect(await fresh.read()).toEqual({ text: "first", version: 1 });
  file("token", "the second");
  now = 9_999;
  expect(await fresh.read()).toEqual({ text: "first", version: 1 });
  now = 10_000;
  expect(await fresh.read()).toEqual({ text: "the second", version: 2 });
  rmSync(path);
  now = 20_000;
  expect(await fresh.read()).toEqual({ text: "the second", version: 2 });
});
