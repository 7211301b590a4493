import { createServer, type IncomingMessage, request } from "node:http";
import { normalize, resolvePath } from "@/server/sandbox/kubelet/file-system";
import { type Command, type CommandIo } from "./command";
import { nodePrograms } from "./node-programs";

/** Commands that listen and call. */
export const networkCommands: Record<string, Command> = {
  httpd: async (io) => {
    const options = optionsOf(io.argv.slice(1), ["-p", "-h"]);
    const root = resolvePath(io.directory, options["-h"] ?? ".");
    const server = createServer((incoming, response) => {
      const path = normalize(`${root}/${decodeURIComponent((incoming.url ?? "/").split("?")[0] ?? "/")}`);
      const content = io.files.read(path) ?? io.files.read(`${path}/index.html`);
      response.writeHead(content ? 200 : 404, { "content-type": "text/plain" });
      response.end(content ?? "404 Not Found\n");
    });
    await io.listen(server, Number((options["-p"] ?? "80").split(":").at(-1)));
    await untilOver(io);
    return 137;
  },
  wget: async (io) => {
    const options = optionsOf(io.argv.slice(1), ["-O", "-T"]);
    const url = io.argv.find((arg) => /^https?:\/\//.test(arg)) ?? io.argv.at(-1) ?? "";
    const answer = await fetchFrom(url.includes("://") ? url : `http://${url}`, io);
    if (!answer || answer.status >= 400) {
      io.stderr(
        answer
          ? `wget: server returned error: HTTP/1.1 ${answer.status}\n`
          : `wget: can't connect to remote host: Connection refused\n`,
      );
      return 1;
    }
    const file = options["-O"] ?? io.argv.find((arg) => /^-[a-zA-Z]*O-$/.test(arg))?.slice(-1) ?? "-";
    if (file === "-") io.stdout(answer.body);
    else io.files.write(resolvePath(io.directory, file), answer.body);
    return 0;
  },
  curl: async (io) => {
    const url = io.argv.find((arg) => /^https?:\/\//.test(arg)) ?? "";
    const answer = await fetchFrom(url, io);
    if (!answer) {
      io.stderr(`curl: (7) Failed to connect to ${url}\n`);
      return 7;
    }
    if (answer.status >= 400 && io.argv.some((arg) => /^-[a-zA-Z]*f/.test(arg))) return 22;
    io.stdout(answer.body);
    return 0;
  },
  node: async (io) => {
    const script = io.argv.slice(1).find((arg) => !arg.startsWith("-")) ?? "";
    const name =
      script
        .split("/")
        .at(-1)
        ?.replace(/\.(mjs|cjs|js)$/, "") ?? "";
    const program = nodePrograms[name];
    if (program) return program({ ...io, argv: [script, ...io.argv.slice(io.argv.indexOf(script) + 1)] });
    io.stderr(
      `node: the sandbox plays the programs ${Object.keys(nodePrograms).join(", ")}; it does not run '${script}'\n`,
    );
    return 1;
  },
};

/** Flags with a value (`-p 80` or `-p80`), by flag. */
function optionsOf(args: readonly string[], flags: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  args.forEach((arg, index) => {
    const flag = flags.find((name) => arg.startsWith(name));
    if (flag) found[flag] = arg === flag ? (args[index + 1] ?? "") : arg.slice(flag.length);
  });
  return found;
}

function untilOver(io: CommandIo): Promise<void> {
  return new Promise((resolve) => io.over.addEventListener("abort", () => resolve(), { once: true }));
}

function fetchFrom(url: string, io: CommandIo): Promise<{ status: number; body: Buffer } | null> {
  return new Promise((resolve) => {
    const target = new URL(url.replace("://localhost", `://${io.address}`).replace("://127.0.0.1", `://${io.address}`));
    const call = request(target, { signal: io.over }, (answer: IncomingMessage) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }));
      answer.on("error", () => resolve(null));
    });
    call.on("error", () => resolve(null));
    call.end();
  });
}
