export type Entry =
  | { type: "file"; data: Buffer; mode: number; mtimeMs: number }
  | { type: "directory"; mode: number; mtimeMs: number }
  | { type: "symlink"; target: string; mode: number; mtimeMs: number };

/** A tree of files in memory. Paths are absolute; mounted trees are reached through it. */
export type FileSystem = {
  stat(path: string): Entry | undefined;
  read(path: string): Buffer | undefined;
  /** Creates the file, and its folders when `parents`; false when its folder is missing or a folder is in its place. */
  write(path: string, data: Buffer | string, options?: { append?: boolean; mode?: number; parents?: boolean }): boolean;
  makeDirectory(path: string, mode?: number): void;
  link(path: string, target: string): void;
  /** The names in a folder, sorted; undefined when it is none. */
  list(path: string): string[] | undefined;
  remove(path: string): boolean;
  mount(path: string, tree: FileSystem, inside?: string): void;
};

export function createFileSystem(now: () => number): FileSystem {
  const entries = new Map<string, Entry>([["/", { type: "directory", mode: 0o755, mtimeMs: now() }]]);
  const mounts: { at: string; tree: FileSystem; inside: string }[] = [];

  /** The tree that holds the path, and the path in that tree; symbolic links are followed. */
  function within<T>(
    path: string,
    here: (path: string) => T,
    there: (tree: FileSystem, path: string) => T,
    hops = 0,
  ): T {
    const clean = normalize(path);
    const mount = mounts.find(({ at }) => clean === at || clean.startsWith(`${at}/`));
    if (mount) return there(mount.tree, normalize(`${mount.inside}/${clean.slice(mount.at.length)}`));
    const link = hops < 16 ? linkOn(clean) : undefined;
    return link === undefined ? here(clean) : within(link, here, there, hops + 1);
  }

  /** The path with the first symbolic link on it replaced by its target. */
  function linkOn(path: string): string | undefined {
    const parts = path.split("/").slice(1);
    for (let length = 1; length <= parts.length; length += 1) {
      const prefix = `/${parts.slice(0, length).join("/")}`;
      const entry = entries.get(prefix);
      if (entry?.type !== "symlink") continue;
      const target = entry.target.startsWith("/") ? entry.target : `${parentOf(prefix)}/${entry.target}`;
      return normalize([target, ...parts.slice(length)].join("/"));
    }
    return undefined;
  }

  const makeDirectory = (path: string, mode = 0o755): void =>
    within(
      path,
      (clean) => {
        for (let at = clean; !entries.has(at); at = parentOf(at))
          entries.set(at, { type: "directory", mode, mtimeMs: now() });
      },
      (tree, inner) => tree.makeDirectory(inner, mode),
    );

  const stat = (path: string): Entry | undefined =>
    within(
      path,
      (clean) => entries.get(clean),
      (tree, inner) => tree.stat(inner),
    );

  function writeHere(
    path: string,
    data: Buffer,
    options: { append?: boolean; mode?: number; parents?: boolean },
  ): boolean {
    if (options.parents) makeDirectory(parentOf(path));
    const before = entries.get(path);
    if (before?.type === "directory" || entries.get(parentOf(path))?.type !== "directory") return false;
    const old = before?.type === "file" ? before : undefined;
    const content = options.append && old ? Buffer.concat([old.data, data]) : data;
    entries.set(path, { type: "file", data: content, mode: options.mode ?? old?.mode ?? 0o644, mtimeMs: now() });
    return true;
  }

  const list = (path: string): string[] | undefined =>
    within(
      path,
      (clean) => {
        if (entries.get(clean)?.type !== "directory") return undefined;
        const prefix = clean === "/" ? "/" : `${clean}/`;
        const names = [...entries.keys(), ...mounts.map(({ at }) => at)]
          .filter((key) => key.startsWith(prefix) && key !== clean)
          .map((key) => key.slice(prefix.length).split("/")[0] ?? "");
        return [...new Set(names)].sort();
      },
      (tree, inner) => tree.list(inner),
    );

  return {
    stat,
    makeDirectory,
    list,
    read: (path) => {
      const entry = stat(path);
      return entry?.type === "file" ? entry.data : undefined;
    },
    write: (path, data, options = {}) =>
      within(
        path,
        (clean) => writeHere(clean, Buffer.from(data), options),
        (tree, inner) => tree.write(inner, data, options),
      ),
    link: (path, target) => {
      makeDirectory(parentOf(normalize(path)));
      entries.set(normalize(path), { type: "symlink", target, mode: 0o777, mtimeMs: now() });
    },
    remove: (path) => {
      const clean = normalize(path);
      if (entries.get(clean)?.type === "symlink") return entries.delete(clean);
      return within(
        path,
        (real) => {
          const doomed = [...entries.keys()].filter((key) => key === real || key.startsWith(`${real}/`));
          return doomed.map((key) => entries.delete(key)).some(Boolean);
        },
        (tree, inner) => tree.remove(inner),
      );
    },
    mount: (path, tree, inside = "/") => {
      const at = normalize(path);
      makeDirectory(parentOf(at));
      tree.makeDirectory(inside);
      mounts.push({ at, tree, inside });
      // Longest first, so that a mount inside another one is found.
      mounts.sort((a, b) => b.at.length - a.at.length);
    },
  };
}

/** Without `.`, `..`, doubled or trailing slashes. */
export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

export function resolvePath(directory: string, path: string): string {
  return normalize(path.startsWith("/") ? path : `${directory}/${path}`);
}

function parentOf(path: string): string {
  return normalize(path.slice(0, Math.max(1, path.lastIndexOf("/"))));
}
