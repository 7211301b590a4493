import { resolvePath } from "@/server/sandbox/kubelet/file-system";
import { type CommandIo } from "./command";
import { createPipe } from "./pipe";
import { expandWord, type Scope } from "./shell-expansion";
import { type Redirect } from "./shell-syntax";

/** The streams of a command after its redirections. Throws what the shell says when a file cannot be opened. */
export async function redirected(redirects: readonly Redirect[], shell: Scope, outer: CommandIo): Promise<CommandIo> {
  const io = { ...outer };
  for (const redirect of redirects) {
    if (redirect.mode === "&") {
      if (redirect.from === 2) io.stderr = redirect.to === 1 ? io.stdout : io.stderr;
      else io.stdout = redirect.to === 2 ? io.stderr : io.stdout;
      continue;
    }
    const name = await expandWord(redirect.to, shell);
    const path = resolvePath(shell.directory, name);
    if (redirect.mode === "<") {
      const content = path === "/dev/null" ? Buffer.alloc(0) : io.files.read(path);
      if (!content) throw new Error(`can't open ${name}: no such file`);
      const pipe = createPipe();
      pipe.write(content);
      pipe.end();
      io.stdin = pipe;
      continue;
    }
    const write = writerTo(path, redirect.mode === ">>", outer);
    if (!write) throw new Error(`can't create ${name}: nonexistent directory`);
    if (redirect.from === 2) io.stderr = write;
    else io.stdout = write;
  }
  return io;
}

const devices: Record<string, (io: CommandIo) => (chunk: Buffer | string) => void> = {
  "/dev/null": () => () => undefined,
  "/dev/stdout": (io) => io.stdout,
  "/dev/stderr": (io) => io.stderr,
  // The first process of a container writes its log through these.
  "/proc/1/fd/1": (io) => io.stdout,
  "/proc/1/fd/2": (io) => io.stderr,
};

function writerTo(path: string, append: boolean, io: CommandIo): ((chunk: Buffer | string) => void) | null {
  const device = devices[path];
  if (device) return device(io);
  if (!append && !io.files.write(path, "")) return null;
  if (append && !io.files.write(path, "", { append })) return null;
  return (chunk) => void io.files.write(path, chunk, { append: true });
}
