import { randomBytes } from "node:crypto";
import { systemClock } from "@/server/kubernetes/clock";
import { type Connection, serverConnection } from "@/server/kubernetes/connection";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { createTransport, type Send, type Transport } from "@/server/kubernetes/transport";

/** An API server that the contract is held against: the sandbox, or a real one. */
export type Target = {
  connection: Connection;
  /** Of its version: 20 for 1.20. */
  minor: number;
  send: (method: Send["method"], path: string, options?: SendOptions) => Promise<Reply>;
  /** A namespace of its own, ready for pods. It goes when the target is closed. */
  namespace: (labels?: Record<string, string>) => Promise<string>;
  /** A namespace of its own, at once: for what needs no pods. */
  bareNamespace: () => Promise<string>;
  /** Told to go when the target is closed: the path of an object outside the namespaces. */
  cleanUp: (path: string) => void;
  close: () => Promise<void>;
};

type SendOptions = {
  body?: unknown;
  /** As it is, instead of `body`. */
  text?: string;
  contentType?: string;
  headers?: Record<string, string>;
  /** Another bearer than the administrator; null: none at all. */
  token?: string | null;
};

export type Reply = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  object: KubernetesObject;
  message: string;
};

export async function openTarget(connection: Connection): Promise<Target> {
  const admin = createTransport(connection, { clock: systemClock });
  const others = new Map<string, Transport>();
  const cleanUps: string[] = [];

  async function transportFor(token: string | null | undefined): Promise<Transport> {
    if (token === undefined) return admin;
    const known = others.get(token ?? "");
    if (known) return known;
    const { tls } = await connection.credentials();
    const { ca, insecure } = tls;
    const other = serverConnection({
      server: connection.server,
      ...(token ? { token } : {}),
      ...(ca ? { ca } : {}),
      ...(insecure ? { insecure } : {}),
    });
    const transport = createTransport(other, { clock: systemClock });
    others.set(token ?? "", transport);
    return transport;
  }

  const send: Target["send"] = async (method, path, { body, text, contentType, headers, token } = {}) => {
    const transport = await transportFor(token);
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const type = contentType ?? (method === "PATCH" ? "application/merge-patch+json" : "application/json");
    const answer = await transport.send({
      method,
      path,
      headers: { ...(payload === undefined ? {} : { "content-type": type }), ...headers },
      ...(payload === undefined ? {} : { body: payload }),
    });
    const object = parsed(answer.text);
    return { ...answer, object, message: typeof object["message"] === "string" ? object["message"] : "" };
  };

  async function makeNamespace(labels: Record<string, string>): Promise<string> {
    const name = unique("contract");
    await send("POST", "/api/v1/namespaces", {
      body: { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } },
    });
    cleanUps.push(`/api/v1/namespaces/${name}`);
    return name;
  }

  const version = await send("GET", "/version");
  const target: Target = {
    connection,
    minor: Number.parseInt(String(version.object["minor"]), 10),
    send,
    bareNamespace: () => makeNamespace({}),
    namespace: async (labels = {}) => {
      const name = await makeNamespace(labels);
      await until(`the ServiceAccount of ${name}`, async () => {
        const { status, object } = await send("GET", `/api/v1/namespaces/${name}/serviceaccounts/default`);
        // Until 1.24 pods were refused while the account had no token Secret.
        return status === 200 && (target.minor >= 24 || Array.isArray(object["secrets"]));
      });
      return name;
    },
    cleanUp: (path) => void cleanUps.push(path),
    close: async () => {
      for (const path of cleanUps.reverse()) await send("DELETE", path);
      await Promise.all([admin, ...others.values()].map((transport) => transport.close()));
    },
  };
  return target;
}

function parsed(text: string): KubernetesObject {
  try {
    return JSON.parse(text) as KubernetesObject; // What comes back is looked at by the case, whatever it is.
  } catch {
    return { apiVersion: "", kind: "", metadata: { name: "" }, message: text };
  }
}

/** A name that no other run uses. */
export function unique(prefix: string): string {
  return `${prefix}-${randomBytes(5).toString("hex")}`;
}

/** Asks until it holds. The limit is far beyond what a busy machine needs; it only ends what never happens. */
export async function until(what: string, holds: () => Promise<boolean>, limitMs = 60_000): Promise<void> {
  const deadline = systemClock.monotonic() + limitMs;
  while (!(await holds())) {
    if (systemClock.monotonic() > deadline) throw new Error(`${what} did not come`);
    await systemClock.sleep(50);
  }
}
