import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { jsonOf } from "@/server/sandbox/storage/json-of";
import { type Change, keyOf, type Store } from "@/server/sandbox/storage/store";

export type Log = {
  /** Writes down every change of the store from here on. */
  follow(store: Store): () => void;
  close(): void;
};

type Loaded = {
  revision: number;
  objects: Map<string, readonly [storageKey: string, object: KubernetesObject]>;
  bytes: number;
};

/** It holds Secrets. */
const OWNER_ONLY = 0o600;
const BYTES_BEFORE_REWRITE_MIN = 16 * 1_024 * 1_024;

/**
 * An append-only file: `+<storage key> <object>` and `-<storage key> <key> <revision>`, one to a line. A line is in the
 * kernel's hands before the writer is answered, so a killed process loses nothing; a torn last line was never answered.
 */
export function openLog(dataDir: string, store: Store): Log {
  const path = join(dataDir, "cluster.log");
  const loaded = existsSync(path) ? read(path) : { revision: 1, objects: new Map(), bytes: 0 };
  store.load(loaded.revision, loaded.objects.values());
  let file = openSync(path, existsSync(path) ? "r+" : "w+", OWNER_ONLY);
  ftruncateSync(file, loaded.bytes);
  let written = loaded.bytes;
  let rewriteAt = Math.max(BYTES_BEFORE_REWRITE_MIN, written * 2);
  if (loaded.bytes > BYTES_BEFORE_REWRITE_MIN) rewrite();

  function append(change: Change) {
    const line = lineOf(change);
    written += writeSync(file, line, written);
    if (written >= rewriteAt) rewrite();
  }

  /** The same state in as few lines as it takes, swapped in by a rename. */
  function rewrite() {
    const fresh = `${path}.new`;
    const target = openSync(fresh, "w", OWNER_ONLY);
    let length = writeSync(target, `=${store.revision()}\n`);
    for (const storageKey of store.storageKeys()) {
      for (const object of store.all(storageKey))
        length += writeSync(target, `+${storageKey} ${JSON.stringify(object)}\n`);
    }
    fsyncSync(target);
    renameSync(fresh, path);
    closeSync(file);
    file = target;
    written = length;
    rewriteAt = Math.max(BYTES_BEFORE_REWRITE_MIN, written * 2);
  }

  return {
    follow: (followed) => followed.subscribe("*", append),
    close: () => closeSync(file),
  };
}

function lineOf({ type, storageKey, object, revision }: Change): string {
  return type === "DELETED" ? `-${storageKey} ${keyOf(object)} ${revision}\n` : `+${storageKey} ${jsonOf(object)}\n`;
}

function read(path: string): Loaded {
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  const loaded: Loaded = { revision: 1, objects: new Map(), bytes: end };
  for (const line of bytes.toString("utf8", 0, end).split("\n")) readLine(loaded, line);
  return loaded;
}

function readLine(loaded: Loaded, line: string) {
  const space = line.indexOf(" ");
  const storageKey = line.slice(1, space);
  const rest = line.slice(space + 1);
  if (line.startsWith("=")) loaded.revision = Math.max(loaded.revision, Number(line.slice(1)));
  if (line.startsWith("+")) {
    // Our own file holds what we stored.
    const object = JSON.parse(rest) as KubernetesObject;
    loaded.objects.set(`${storageKey} ${keyOf(object)}`, [storageKey, object]);
    loaded.revision = Math.max(loaded.revision, Number(object.metadata.resourceVersion));
  }
  if (line.startsWith("-")) {
    const [key = "", revision = "0"] = rest.split(" ");
    loaded.objects.delete(`${storageKey} ${key}`);
    loaded.revision = Math.max(loaded.revision, Number(revision));
  }
}
