import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Certificate, makeCertificate } from "@/server/sandbox/http/certificate";

/** The folder in which a sandbox lives between two runs: its log, its token, its certificate, its kubeconfig. */
export type Home = {
  adminToken: string;
  certificate(): Certificate;
  kubeconfigPath: string;
  writeKubeconfig(text: string): void;
  /** Where the last run listened; 0 for the first. */
  port: number;
  writePort(port: number): void;
  release(): void;
};

export function openHome(dataDir: string): Home {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = takeLock(join(dataDir, "sandbox.lock"));
  const portPath = join(dataDir, "port");
  // Whole, since it is pasted into terminals that stand elsewhere.
  const kubeconfigPath = resolve(dataDir, "kubeconfig");
  return {
    adminToken: textKept(join(dataDir, "admin-token"), () => randomBytes(24).toString("base64url")),
    certificate: () => certificateIn(dataDir),
    kubeconfigPath,
    writeKubeconfig: (text) => writeFileSync(kubeconfigPath, text, { mode: 0o600 }),
    port: portIn(portPath),
    writePort: (port) => writeFileSync(portPath, `${port}\n`),
    release: lock.release,
  };
}

/** Forgets everything that a sandbox kept in the folder. */
export function clearHome(dataDir: string) {
  for (const name of kept) rmSync(join(dataDir, name), { force: true, recursive: true });
}

const kept = ["cluster.log", "cluster.log.new", "volumes", "admin-token", "tls.key", "tls.crt", "kubeconfig", "port"];

function portIn(path: string): number {
  const port = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

function certificateIn(dataDir: string): Certificate {
  const [keyPath, certPath] = [join(dataDir, "tls.key"), join(dataDir, "tls.crt")];
  if (existsSync(keyPath) && existsSync(certPath)) {
    return { key: readFileSync(keyPath, "utf8"), cert: readFileSync(certPath, "utf8") };
  }
  const made = makeCertificate();
  writeFileSync(keyPath, made.key, { mode: 0o600 });
  writeFileSync(certPath, made.cert);
  return made;
}

function textKept(path: string, make: () => string): string {
  if (existsSync(path)) return readFileSync(path, "utf8").trim();
  const made = make();
  writeFileSync(path, `${made}\n`, { mode: 0o600 });
  return made;
}

/** Two processes on one log would tear it. A lock that a dead process left behind is taken over. */
function takeLock(path: string): { release: () => void } {
  const [pid = "", started = ""] = existsSync(path) ? readFileSync(path, "utf8").trim().split(" ") : [];
  if (pid !== "" && Number(pid) !== process.pid && isAlive(Number(pid), started)) {
    throw new Error(`The sandbox's folder is in use by process ${pid} (${path}): stop that one first`);
  }
  writeFileSync(path, `${process.pid} ${startOf(process.pid) ?? ""}\n`);
  return { release: () => rmSync(path, { force: true }) };
}

function isAlive(pid: number, started: string): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // Where the system tells when a process began, a number that was given out again is no holder.
  const began = startOf(pid);
  return began === null || started === "" || began === started;
}

/** When a process began, in ticks since boot; null where nobody knows, empty for one that only waits to be buried. */
function startOf(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return fields[0] === "Z" ? "" : (fields[19] ?? null);
  } catch {
    return null;
  }
}
