import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apis } from "@/server/kubernetes/apis";
import { type Clock, type Timer } from "@/server/kubernetes/clock";
import { type Shelves } from "@/server/sandbox/controllers/shelves";
import { type Pod } from "@/server/sandbox/objects/pod";
import { type Claim, type Volume } from "@/server/sandbox/objects/storage";
import { packTar, type TarEntry, unpackTar } from "@/server/sandbox/programs/tar";
import { createFileSystem, type FileSystem } from "./file-system";

export type ClaimFiles = {
  /** The files of the volume that the claim is bound to. */
  of(namespace: string, claim: string): FileSystem;
  /** The claims of the pod that are bound to no volume yet. */
  unbound(pod: Pod): string[];
  stop(): void;
};

const SAVE_AFTER_MS = 500;

/** The files behind claims: they belong to the volume, outlive the pods, and go when the volume goes. */
export function createClaimFiles(shelves: Shelves, clock: Clock, dataDir: string | null): ClaimFiles {
  const claims = shelves.of<Claim>(apis.persistentVolumeClaim);
  const volumes = shelves.of<Volume>(apis.persistentVolume);
  const trees = new Map<string, FileSystem>();
  const saves = new Map<string, Timer>();
  const folder = dataDir === null ? null : join(dataDir, "volumes");
  const fileOf = (volume: string) => (folder === null ? null : join(folder, `${encodeURIComponent(volume)}.tar`));

  function open(volume: string): FileSystem {
    const known = trees.get(volume);
    if (known) return known;
    const inner = createFileSystem(() => clock.now());
    for (const { path, entry } of load(fileOf(volume))) restore(inner, `/${path}`, entry);
    const tree = observed(inner, () => saveSoon(volume, inner));
    trees.set(volume, tree);
    return tree;
  }

  function saveSoon(volume: string, tree: FileSystem) {
    if (folder === null || saves.has(volume)) return;
    saves.set(
      volume,
      clock.setTimeout(() => save(volume, tree), SAVE_AFTER_MS),
    );
  }

  function save(volume: string, tree: FileSystem) {
    saves.get(volume)?.cancel();
    saves.delete(volume);
    const file = fileOf(volume);
    if (file === null || folder === null) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, packTar(entriesOf(tree, "")));
  }

  const unwatch = volumes.watch(({ type, object }) => {
    if (type !== "DELETED") return;
    const { name } = object.metadata;
    trees.delete(name);
    saves.get(name)?.cancel();
    saves.delete(name);
    const file = fileOf(name);
    if (file !== null) rmSync(file, { force: true });
  });

  return {
    of: (namespace, claim) => open(claims.get(namespace, claim)?.spec.volumeName ?? `${namespace}/${claim}`),
    unbound: (pod) =>
      (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => {
        if (!persistentVolumeClaim) return [];
        const claim = claims.get(pod.metadata.namespace ?? "", persistentVolumeClaim.claimName);
        return claim?.status?.phase === "Bound" ? [] : [persistentVolumeClaim.claimName];
      }),
    stop: () => {
      unwatch();
      for (const volume of [...saves.keys()]) {
        const tree = trees.get(volume);
        if (tree) save(volume, tree);
      }
    },
  };
}

/** The same tree, which says when it is changed. */
function observed(tree: FileSystem, changed: () => void): FileSystem {
  const after = <T>(result: T): T => {
    changed();
    return result;
  };
  return {
    ...tree,
    write: (path, data, options) => after(tree.write(path, data, options)),
    makeDirectory: (path, mode) => {
      tree.makeDirectory(path, mode);
      changed();
    },
    link: (path, target) => {
      tree.link(path, target);
      changed();
    },
    remove: (path) => after(tree.remove(path)),
  };
}

function entriesOf(tree: FileSystem, folder: string): TarEntry[] {
  return (tree.list(`/${folder}`) ?? []).flatMap((name) => {
    const path = folder === "" ? name : `${folder}/${name}`;
    const entry = tree.stat(`/${path}`);
    if (!entry) return [];
    return [{ path, entry }, ...(entry.type === "directory" ? entriesOf(tree, path) : [])];
  });
}

function load(file: string | null): TarEntry[] {
  if (file === null) return [];
  try {
    return unpackTar(readFileSync(file));
  } catch {
    // Nothing was saved yet.
    return [];
  }
}

function restore(tree: FileSystem, path: string, entry: TarEntry["entry"]) {
  if (entry.type === "file") tree.write(path, entry.data, { mode: entry.mode, parents: true });
  else if (entry.type === "directory") tree.makeDirectory(path, entry.mode);
  else tree.link(path, entry.target);
}
