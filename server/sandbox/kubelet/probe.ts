import { request } from "node:http";
import { connect } from "node:net";
import { type Clock } from "@/server/kubernetes/clock";
import { type Action, type Container } from "@/server/sandbox/objects/pod";
import { type Place } from "./address-pool";

export type Outcome = { ok: boolean; message: string };

/** How a probe or a hook reaches its container. */
export type ActionTarget = {
  clock: Clock;
  container: Container;
  address: string;
  locate(address: string, port: number): Place;
  exec(argv: readonly string[]): Promise<{ code: number; output: string }>;
};

/** Carries out a probe or a hook once; one that takes longer than `timeoutMs` failed. */
export async function carryOutAction(action: Action, target: ActionTarget, timeoutMs: number): Promise<Outcome> {
  const over = new AbortController();
  const timer = target.clock.setTimeout(() => over.abort(), timeoutMs);
  try {
    const kind = (["exec", "httpGet", "tcpSocket", "sleep"] as const).find((name) => action[name] !== undefined);
    return kind ? await kinds[kind](action, target, over.signal) : { ok: true, message: "" };
  } finally {
    timer.cancel();
  }
}

const kinds = { exec: runCommand, httpGet: askHttp, tcpSocket: openSocket, sleep: wait };

async function runCommand({ exec }: Action, target: ActionTarget, signal: AbortSignal): Promise<Outcome> {
  const command = exec?.command ?? [];
  const late = new Promise<Outcome>((resolve) =>
    signal.addEventListener(
      "abort",
      () => resolve({ ok: false, message: `command ${JSON.stringify(command.join(" "))} timed out` }),
      { once: true },
    ),
  );
  const done = target
    .exec(command)
    .then(({ code, output }): Outcome => ({ ok: code === 0, message: output.trimEnd() }));
  return Promise.race([done, late]);
}

function askHttp({ httpGet }: Action, target: ActionTarget, signal: AbortSignal): Promise<Outcome> {
  const port = portOf(httpGet?.port ?? 80, target.container);
  const host = httpGet?.host ?? target.address;
  const path = httpGet?.path ?? "/";
  const url = `${(httpGet?.scheme ?? "HTTP").toLowerCase()}://${host}:${port}${path.startsWith("/") ? path : `/${path}`}`;
  const headers = Object.fromEntries((httpGet?.httpHeaders ?? []).map(({ name, value }) => [name, value]));
  return new Promise((resolve) => {
    const failed = (why: string) => resolve({ ok: false, message: `Get "${url}": ${why}` });
    const place = target.locate(host, port);
    const options = {
      ...place,
      path,
      headers: { "user-agent": "kube-probe/1.32", connection: "close", ...headers },
      agent: false as const,
    };
    const call = request(options, (answer) => {
      answer.resume();
      const status = answer.statusCode ?? 0;
      resolve(
        status >= 200 && status < 400
          ? { ok: true, message: "" }
          : { ok: false, message: `HTTP probe failed with statuscode: ${status}` },
      );
    });
    call.on("error", (error: NodeJS.ErrnoException) => failed(dialError(host, port, error)));
    signal.addEventListener("abort", () => {
      failed("context deadline exceeded (Client.Timeout exceeded while awaiting headers)");
      call.destroy();
    });
    call.end();
  });
}

function openSocket({ tcpSocket }: Action, target: ActionTarget, signal: AbortSignal): Promise<Outcome> {
  const port = portOf(tcpSocket?.port ?? 0, target.container);
  const host = tcpSocket?.host ?? target.address;
  return new Promise((resolve) => {
    const place = target.locate(host, port);
    const socket = connect(place.port, place.host, () => {
      socket.destroy();
      resolve({ ok: true, message: "" });
    });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve({ ok: false, message: dialError(host, port, error) }));
    signal.addEventListener("abort", () => {
      socket.destroy();
      resolve({ ok: false, message: `dial tcp ${host}:${port}: i/o timeout` });
    });
  });
}

async function wait({ sleep }: Action, target: ActionTarget, signal: AbortSignal): Promise<Outcome> {
  await target.clock.sleep((sleep?.seconds ?? 0) * 1_000, signal);
  return { ok: true, message: "" };
}

function dialError(host: string, port: number, error: NodeJS.ErrnoException): string {
  const why = error.code === "ECONNREFUSED" ? "connect: connection refused" : error.message;
  return `dial tcp ${host}:${port}: ${why}`;
}

function portOf(port: number | string, container: Container): number {
  if (typeof port === "number") return port;
  return container.ports?.find(({ name }) => name === port)?.containerPort ?? Number(port);
}
