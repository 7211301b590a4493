import { resolvePath } from "@/server/sandbox/kubelet/file-system";
import { type Command, type CommandIo, pause, readAll } from "./command";

/** Commands that deal in text, time and the environment. */
export const textCommands: Record<string, Command> = {
  true: async () => 0,
  false: async () => 1,
  echo: async (io) => {
    const [, ...args] = io.argv;
    const flags = args[0]?.match(/^-[neE]+$/) ? (args.shift() ?? "") : "";
    const text = args.join(" ");
    io.stdout((flags.includes("e") ? unescape(text) : text) + (flags.includes("n") ? "" : "\n"));
    return 0;
  },
  printf: async (io) => {
    const [, format = "", ...args] = io.argv;
    const text = unescape(format).replace(/%([sd%])/g, (_, kind: string) =>
      kind === "%" ? "%" : (args.shift() ?? ""),
    );
    io.stdout(text);
    return 0;
  },
  env: async (io) => {
    for (const [name, value] of Object.entries(io.env)) io.stdout(`${name}=${value}\n`);
    return 0;
  },
  printenv: async (io) => {
    const [, name] = io.argv;
    if (name === undefined) return textCommands.env?.(io) ?? 0;
    if (io.env[name] === undefined) return 1;
    io.stdout(`${io.env[name]}\n`);
    return 0;
  },
  sleep: async (io) => {
    const units: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
    const seconds = io.argv
      .slice(1)
      .reduce((sum, arg) => sum + (arg === "infinity" ? 1e9 : parseFloat(arg) * (units[arg.at(-1) ?? ""] ?? 1)), 0);
    if (Number.isNaN(seconds)) {
      io.stderr(`sleep: invalid number '${io.argv[1] ?? ""}'\n`);
      return 1;
    }
    // A clock's timers hold some 24 days; whoever sleeps for ever is asleep again right away.
    for (let left = seconds * 1_000; left > 0; left -= 1e9) {
      if (!(await pause(io, Math.min(left, 1e9)))) return 137;
    }
    return 0;
  },
  date: async (io) => {
    const now = new Date(io.clock.now());
    const formats: Record<string, string> = {
      "+%s": String(Math.floor(now.getTime() / 1_000)),
      "-Iseconds": now.toISOString().replace(/\..*/, "+00:00"),
    };
    io.stdout(`${formats[io.argv.at(-1) ?? ""] ?? now.toUTCString()}\n`);
    return 0;
  },
  hostname: async (io) => {
    io.stdout(`${io.argv[1] === "-i" ? io.address : io.hostname}\n`);
    return 0;
  },
  whoami: async (io) => {
    io.stdout("root\n");
    return 0;
  },
  id: async (io) => {
    io.stdout(io.argv[1] === "-u" ? "0\n" : "uid=0(root) gid=0(root)\n");
    return 0;
  },
  uname: async (io) => {
    io.stdout(io.argv[1] === "-a" ? `Linux ${io.hostname} sandbox x86_64 GNU/Linux\n` : "Linux\n");
    return 0;
  },
  seq: async (io) => {
    const numbers = io.argv.slice(1).map(Number);
    const [first, last] = numbers.length > 1 ? [numbers[0] ?? 1, numbers[1] ?? 1] : [1, numbers[0] ?? 1];
    for (let number = first; number <= last; number += 1) io.stdout(`${number}\n`);
    return 0;
  },
  yes: async (io) => {
    const line = `${io.argv[1] ?? "y"}\n`;
    while (await pause(io, 10)) io.stdout(line);
    return 0;
  },
  cat: async (io) => {
    const files = io.argv.slice(1).filter((arg) => arg === "-" || !arg.startsWith("-"));
    if (files.length === 0 || files[0] === "-") {
      for (let chunk = await io.stdin.read(); chunk !== null; chunk = await io.stdin.read()) io.stdout(chunk);
      return 0;
    }
    return forEachFile(io, files, (content) => io.stdout(content));
  },
  tee: async (io) => {
    const content = await readAll(io);
    io.stdout(content);
    io.argv.slice(1).forEach((file) => io.files.write(resolvePath(io.directory, file), content));
    return 0;
  },
  head: async (io) => {
    if (io.argv[1] === "-c") return firstBytes(io, Number(io.argv[2]));
    const { count, files } = countAndFiles(io.argv.slice(1));
    return forLines(io, files, (lines) => lines.slice(0, Math.abs(count)));
  },
  tail: async (io) => {
    const bytes = /^-c\+?([0-9]+)$/.exec(io.argv[1] ?? "");
    if (bytes) {
      io.stdout((await readAll(io)).subarray(Math.max(0, Number(bytes[1]) - 1)));
      return 0;
    }
    const { count, files, follow } = countAndFiles(io.argv.slice(1));
    if (follow && files[0] === "/dev/null") while (await pause(io, 60_000));
    return forLines(io, files, (lines) => lines.slice(-Math.abs(count)));
  },
  wc: async (io) => {
    const flag = io.argv.find((arg) => arg.startsWith("-")) ?? "";
    const counted = (content: Buffer, name: string) => {
      const text = content.toString();
      const counts: Record<string, number> = {
        "-l": text.split("\n").length - 1,
        "-w": text.split(/\s+/).filter(Boolean).length,
        "-c": content.length,
      };
      io.stdout(
        `${counts[flag] !== undefined ? counts[flag] : Object.values(counts).join(" ")}${name && ` ${name}`}\n`,
      );
    };
    const files = io.argv.slice(1).filter((arg) => !arg.startsWith("-"));
    if (files.length > 0) return forEachFile(io, files, counted);
    counted(await readAll(io), "");
    return 0;
  },
  grep: async (io) => {
    const flags = io.argv
      .slice(1)
      .filter((arg) => arg.startsWith("-"))
      .join("");
    const [pattern = "", ...files] = io.argv.slice(1).filter((arg) => !arg.startsWith("-"));
    const matcher = new RegExp(
      flags.includes("F") ? pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : pattern,
      flags.includes("i") ? "i" : "",
    );
    let found = false;
    const status = await forLines(io, files, (lines) => {
      const matching = lines.filter((line) => matcher.test(line) !== flags.includes("v"));
      found ||= matching.length > 0;
      return flags.includes("q") ? [] : flags.includes("c") ? [String(matching.length)] : matching;
    });
    return status === 0 ? Number(!found) : 2;
  },
};

/** No more than asked for: what feeds it may never end. */
async function firstBytes(io: CommandIo, count: number): Promise<number> {
  for (let left = count; left > 0;) {
    const chunk = await io.stdin.read();
    if (chunk === null) break;
    io.stdout(chunk.subarray(0, left));
    left -= chunk.length;
  }
  return 0;
}

function countAndFiles(args: string[]): { count: number; files: string[]; follow: boolean } {
  let count = 10;
  const files: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "-n") count = Number(args[(at += 1)]);
    else if (/^-n?[0-9]+$/.test(arg)) count = Number(arg.replace(/^-n?/, ""));
    else if (!arg.startsWith("-")) files.push(arg);
  }
  return { count, files, follow: args.some((arg) => /^-[fF]$/.test(arg)) };
}

async function forLines(
  io: CommandIo,
  files: readonly string[],
  choose: (lines: string[]) => string[],
): Promise<number> {
  const show = (content: Buffer) => {
    const text = content.toString();
    const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
    choose(lines).forEach((line) => io.stdout(`${line}\n`));
  };
  if (files.length > 0) return forEachFile(io, files, show);
  show(await readAll(io));
  return 0;
}

async function forEachFile(
  io: CommandIo,
  files: readonly string[],
  use: (content: Buffer, name: string) => void,
): Promise<number> {
  let status = 0;
  for (const file of files) {
    const content = file === "/dev/null" ? Buffer.alloc(0) : io.files.read(resolvePath(io.directory, file));
    if (content) use(content, file);
    else {
      io.stderr(`${io.argv[0] ?? ""}: can't open '${file}': No such file or directory\n`);
      status = 1;
    }
  }
  return status;
}

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "0": "\0" };

function unescape(text: string): string {
  return text.replace(/\\([ntr\\0])/g, (_, char: string) => escapes[char] ?? char);
}
