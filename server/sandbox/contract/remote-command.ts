import { WebSocket } from "ws";
import { type Target } from "@/server/sandbox/contract/target";

export type Ran = {
  stdout: Buffer;
  stderr: string;
  status: {
    status: string;
    message?: string;
    reason?: string;
    details?: { causes?: { reason?: string; message?: string }[] };
  };
};

/** Only ends what never ends. */
const LIMIT_MS = 60_000;

/** Runs a command in a pod over a WebSocket, in the fourth version of the channel protocol. */
export async function runRemotely(
  target: Target,
  podPath: string,
  command: readonly string[],
  input?: Buffer,
): Promise<Ran> {
  const { headers, tls } = await target.connection.credentials();
  const query = new URLSearchParams([
    ...command.map((word) => ["command", word]),
    ["stdout", "true"],
    ["stderr", "true"],
    ...(input ? [["stdin", "true"]] : []),
  ]);
  const url = `${target.connection.server.replace(/^http/, "ws")}${podPath}/exec?${query.toString()}`;
  const socket = new WebSocket(url, "v4.channel.k8s.io", {
    headers,
    ...(tls.ca ? { ca: tls.ca } : {}),
    ...(tls.insecure ? { rejectUnauthorized: false } : {}),
  });
  const channels: Buffer[][] = [[], [], [], []];
  await new Promise<void>((resolve, reject) => {
    const limit = setTimeout(() => {
      socket.terminate();
      reject(new Error(`${command.join(" ")} did not end`));
    }, LIMIT_MS);
    socket.on("close", () => clearTimeout(limit));
    socket.on("message", (data: Buffer) => channels[data[0] ?? 0]?.push(data.subarray(1)));
    socket.on("open", () => {
      if (input) socket.send(Buffer.concat([Buffer.from([0]), input]));
    });
    socket.on("close", () => resolve());
    socket.on("error", reject);
  });
  const [, stdout, stderr, error] = channels.map((chunks) => Buffer.concat(chunks));
  return {
    stdout: stdout ?? Buffer.alloc(0),
    stderr: stderr?.toString() ?? "",
    status: JSON.parse(error?.toString() || "{}") as Ran["status"], // a metav1.Status, which the case looks at
  };
}
