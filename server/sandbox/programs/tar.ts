import { type Entry } from "@/server/sandbox/kubelet/file-system";

export type TarEntry = { path: string; entry: Entry };

const BLOCK = 512;
const typeFlags = { file: "0", symlink: "2", directory: "5" } as const;

/** An archive in the ustar form, with GNU's long names. */
export function packTar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, entry }) => {
    const data = entry.type === "file" ? entry.data : Buffer.alloc(0);
    const name = entry.type === "directory" && !path.endsWith("/") ? `${path}/` : path;
    const target = entry.type === "symlink" ? entry.target : "";
    const body = [header(name, entry, data.length, target), padded(data)];
    if (Buffer.byteLength(name) <= 100) return body;
    const long = Buffer.from(`${name}\0`);
    const marker: Entry = { type: "file", data: long, mode: 0o644, mtimeMs: 0 };
    return [header("././@LongLink", marker, long.length, "", "L"), padded(long), ...body];
  });
  return Buffer.concat([...blocks, Buffer.alloc(BLOCK * 2)]);
}

function header(name: string, entry: Entry, size: number, target: string, flag?: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100);
  block.write(`${octal(entry.mode, 7)}\0`, 100);
  block.write(`${octal(0, 7)}\0${octal(0, 7)}\0`, 108);
  block.write(`${octal(size, 11)}\0`, 124);
  block.write(`${octal(Math.floor(entry.mtimeMs / 1_000), 11)}\0`, 136);
  block.fill(" ", 148, 156);
  block.write(flag ?? typeFlags[entry.type], 156);
  block.write(target, 157, 100);
  block.write("ustar\0" + "00", 257);
  block.write("root", 265);
  block.write("root", 297);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function octal(value: number, width: number): string {
  return value.toString(8).padStart(width, "0");
}

function padded(data: Buffer): Buffer {
  return Buffer.concat([data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)]);
}

/** What an archive holds. Extended headers that only carry times and owners are passed over; their paths are used. */
export function unpackTar(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= archive.length;) {
    const block = archive.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) break;
    const size = parseInt(text(block, 124, 12), 8) || 0;
    const data = Buffer.from(archive.subarray(at + BLOCK, at + BLOCK + size));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const flag = text(block, 156, 1);
    if (flag === "L") longName = data.toString().replace(/\0.*$/s, "");
    else if (flag === "x") longName = /(?:^|\n)[0-9]+ path=([^\n]*)\n/.exec(data.toString())?.[1] ?? longName;
    if (["L", "K", "x", "g"].includes(flag)) continue;
    const prefix = text(block, 345, 155);
    const path =
      longName ??
      (prefix && text(block, 257, 5) === "ustar" ? `${prefix}/${text(block, 0, 100)}` : text(block, 0, 100));
    longName = undefined;
    const stats = {
      mode: parseInt(text(block, 100, 8), 8) & 0o7777,
      mtimeMs: parseInt(text(block, 136, 12), 8) * 1_000,
    };
    if (flag === "5") entries.push({ path, entry: { type: "directory", ...stats } });
    else if (flag === "2") entries.push({ path, entry: { type: "symlink", target: text(block, 157, 100), ...stats } });
    else entries.push({ path, entry: { type: "file", data, ...stats } });
  }
  return entries;
}

/** Whether the archive has come to its end: a block of zeroes where a header would be. */
export function isWhole(archive: Buffer): boolean {
  for (let at = 0; at + BLOCK <= archive.length;) {
    const block = archive.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) return true;
    at += BLOCK + Math.ceil((parseInt(text(block, 124, 12), 8) || 0) / BLOCK) * BLOCK;
  }
  return false;
}

function text(block: Buffer, at: number, length: number): string {
  return block
    .subarray(at, at + length)
    .toString()
    .replace(/\0.*$/s, "");
}
