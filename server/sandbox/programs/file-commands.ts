import { type Entry, normalize, resolvePath } from "@/server/sandbox/kubelet/file-system";
import { type Command, type CommandIo } from "./command";
import { isWhole, packTar, type TarEntry, unpackTar } from "./tar";

const missing = "No such file or directory";

/** Commands that deal in files. */
export const fileCommands: Record<string, Command> = {
  pwd: async (io) => {
    io.stdout(`${io.directory}\n`);
    return 0;
  },
  ls: async (io) => {
    const { flags, paths } = split(io.argv);
    let status = 0;
    for (const path of paths.length > 0 ? paths : ["."]) {
      const full = resolvePath(io.directory, path);
      const entry = io.files.stat(full);
      if (!entry) {
        io.stderr(`ls: ${path}: ${missing}\n`);
        status = 1;
        continue;
      }
      const names = entry.type === "directory" && !flags.includes("d") ? (io.files.list(full) ?? []) : [path];
      const visible = flags.includes("a")
        ? [".", "..", ...names]
        : names.filter((name) => !name.startsWith(".") || name === path);
      for (const name of visible)
        io.stdout(flags.includes("l") ? longLine(io, resolvePath(full, name), name) : `${name}\n`);
    }
    return status;
  },
  mkdir: async (io) => {
    const { flags, paths } = split(io.argv);
    return each(paths, (path) => {
      const full = resolvePath(io.directory, path);
      if (io.files.stat(full) && !flags.includes("p")) return fail(io, `can't create directory '${path}': File exists`);
      io.files.makeDirectory(full);
      return 0;
    });
  },
  touch: async (io) =>
    each(split(io.argv).paths, (path) => {
      const full = resolvePath(io.directory, path);
      return io.files.stat(full) || io.files.write(full, "") ? 0 : fail(io, `${path}: ${missing}`);
    }),
  rm: async (io) => {
    const { flags, paths } = split(io.argv);
    return each(paths, (path) => {
      const full = resolvePath(io.directory, path);
      const entry = io.files.stat(full);
      if (!entry) return flags.includes("f") ? 0 : fail(io, `can't remove '${path}': ${missing}`);
      if (entry.type === "directory" && !/[rR]/.test(flags)) return fail(io, `'${path}' is a directory`);
      return io.files.remove(full) ? 0 : 1;
    });
  },
  cp: async (io) => copy(io, false),
  mv: async (io) => copy(io, true),
  ln: async (io) => {
    const [target = "", path = ""] = split(io.argv).paths;
    io.files.link(resolvePath(io.directory, path), target);
    return 0;
  },
  chmod: async () => 0,
  chown: async () => 0,
  stat: async (io) =>
    each(split(io.argv).paths, (path) =>
      io.files.stat(resolvePath(io.directory, path)) ? 0 : fail(io, `can't stat '${path}': ${missing}`),
    ),
  test: async (io) => Number(!holds(io, io.argv.slice(1))),
  "[": async (io) => Number(!holds(io, io.argv.slice(1, -1))),
  tar: async (io) => {
    const options = tarOptions(io);
    if (options.mode === "c") return createArchive(io, options);
    if (options.mode === "x" || options.mode === "t") return extractArchive(io, options);
    return fail(io, "must specify one of -c, -x, -t");
  },
};

function split(argv: readonly string[]): { flags: string; paths: string[] } {
  const args = argv.slice(1);
  return {
    flags: args.filter((arg) => arg.startsWith("-")).join(""),
    paths: args.filter((arg) => !arg.startsWith("-")),
  };
}

function each(paths: readonly string[], act: (path: string) => number): number {
  return Math.max(0, ...paths.map(act));
}

function fail(io: CommandIo, message: string): number {
  io.stderr(`${io.argv[0] ?? ""}: ${message}\n`);
  return 1;
}

function longLine(io: CommandIo, path: string, name: string): string {
  const entry = io.files.stat(path);
  const kind = { file: "-", directory: "d", symlink: "l" }[entry?.type ?? "file"];
  const binary = (entry?.mode ?? 0).toString(2).padStart(9, "0").slice(-9);
  const bits = Array.from(binary, (bit, index) => (bit === "1" ? "rwx".charAt(index % 3) : "-")).join("");
  const size = entry?.type === "file" ? entry.data.length : 4_096;
  return `${kind}${bits}    1 root     root     ${String(size).padStart(9)} ${new Date(entry?.mtimeMs ?? 0).toUTCString().slice(5, 22)} ${name}\n`;
}

function copy(io: CommandIo, move: boolean): number {
  const { paths } = split(io.argv);
  const to = resolvePath(io.directory, paths.at(-1) ?? "");
  return each(paths.slice(0, -1), (path) => {
    const from = resolvePath(io.directory, path);
    if (!io.files.stat(from)) return fail(io, `can't stat '${path}': ${missing}`);
    const target = io.files.stat(to)?.type === "directory" ? resolvePath(to, path.split("/").at(-1) ?? "") : to;
    for (const { path: inner, entry } of walk(io, from, "")) put(io, normalize(`${target}/${inner}`), entry);
    if (move) io.files.remove(from);
    return 0;
  });
}

/** The entry and everything under it, folders first. `name` is what its path begins with. */
function walk(io: CommandIo, path: string, name: string): TarEntry[] {
  const entry = io.files.stat(path);
  if (!entry) return [];
  const inside = entry.type === "directory" ? (io.files.list(path) ?? []) : [];
  return [
    { path: name, entry },
    ...inside.flatMap((child) => walk(io, `${path}/${child}`, name === "" ? child : `${name}/${child}`)),
  ];
}

function put(io: CommandIo, path: string, entry: Entry): boolean {
  if (entry.type === "file") return io.files.write(path, entry.data, { mode: entry.mode, parents: true });
  if (entry.type === "directory") io.files.makeDirectory(path, entry.mode);
  else io.files.link(path, entry.target);
  return true;
}

const comparisons: Record<string, (a: string, b: string) => boolean> = {
  "=": (a, b) => a === b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "-eq": (a, b) => Number(a) === Number(b),
  "-ne": (a, b) => Number(a) !== Number(b),
  "-lt": (a, b) => Number(a) < Number(b),
  "-le": (a, b) => Number(a) <= Number(b),
  "-gt": (a, b) => Number(a) > Number(b),
  "-ge": (a, b) => Number(a) >= Number(b),
};

function holds(io: CommandIo, args: readonly string[]): boolean {
  if (args[0] === "!") return !holds(io, args.slice(1));
  const [a = "", operator, b = ""] = args;
  if (operator !== undefined && comparisons[operator]) return comparisons[operator](a, b);
  const entry = io.files.stat(resolvePath(io.directory, operator ?? ""));
  const unary: Record<string, boolean> = {
    "-f": entry?.type === "file",
    "-d": entry?.type === "directory",
    "-e": entry !== undefined,
    "-r": entry !== undefined,
    "-w": entry !== undefined,
    "-x": entry !== undefined && (entry.mode & 0o111) !== 0,
    "-s": entry?.type === "file" && entry.data.length > 0,
    "-z": (operator ?? "") === "",
    "-n": (operator ?? "") !== "",
  };
  return operator === undefined ? a !== "" : (unary[a] ?? false);
}

type TarOptions = { mode: string; file: string; directory: string; names: string[]; strip: number };

function tarOptions(io: CommandIo): TarOptions {
  const options: TarOptions = { mode: "", file: "-", directory: io.directory, names: [], strip: 0 };
  const args = io.argv.slice(1);
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "-C") options.directory = resolvePath(io.directory, args[(at += 1)] ?? "");
    else if (arg.startsWith("--strip-components=")) options.strip = Number(arg.split("=")[1]);
    else if (arg.startsWith("--")) continue;
    else if (at === 0 || (arg.startsWith("-") && arg !== "-")) {
      options.mode = /[cxt]/.exec(arg)?.[0] ?? options.mode;
      if (arg.includes("f")) options.file = args[(at += 1)] ?? "-";
    } else options.names.push(arg);
  }
  return options;
}

function createArchive(io: CommandIo, { file, directory, names }: TarOptions): number {
  const entries: TarEntry[] = [];
  let status = 0;
  for (const name of names) {
    const path = resolvePath(directory, name);
    if (!io.files.stat(path)) status = fail(io, `${name}: ${missing}`);
    // Absolute names lose their slash, as every tar does it.
    entries.push(...walk(io, path, name.replace(/^\/+/, "").replace(/\/+$/, "") || "."));
  }
  const archive = packTar(entries);
  if (file === "-") io.stdout(archive);
  else io.files.write(resolvePath(io.directory, file), archive);
  return status;
}

async function extractArchive(io: CommandIo, { mode, file, directory, names, strip }: TarOptions): Promise<number> {
  const archive = file === "-" ? await readArchive(io) : io.files.read(resolvePath(io.directory, file));
  if (!archive) return fail(io, `can't open '${file}': ${missing}`);
  if (mode === "x" && io.files.stat(directory)?.type !== "directory")
    return fail(io, `can't change directory to '${directory}': ${missing}`);
  for (const { path, entry } of unpackTar(archive)) {
    const stripped = path.split("/").slice(strip).join("/");
    const wanted = names.length === 0 || names.some((name) => path === name || path.startsWith(`${name}/`));
    if (stripped === "" || !wanted) continue;
    if (mode === "t") io.stdout(`${path}\n`);
    else put(io, normalize(`${directory}/${stripped}`), entry);
  }
  return 0;
}

/** Up to the end that the archive itself marks: some clients cannot tell that their input is over. */
async function readArchive(io: CommandIo): Promise<Buffer> {
  let archive = Buffer.alloc(0);
  for (let chunk = await io.stdin.read(); chunk !== null; chunk = await io.stdin.read()) {
    archive = Buffer.concat([archive, chunk]);
    if (isWhole(archive)) break;
  }
  return archive;
}
