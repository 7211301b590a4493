import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { type execSchema } from "@/server/kubernetes/kubeconfig";

const run = promisify(execFile);

/** A plugin may open a browser or wait for a token service; a hung one must not hang us for ever. */
const PLUGIN_TIMEOUT_MS = 60_000;
/** A credential is renewed this long before it ends, so that no request is under way with an expired one. */
const RENEW_BEFORE_MS = 10_000;

const credentialSchema = z.object({
  kind: z.literal("ExecCredential"),
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.string().optional(),
  }),
});

type Credential = z.infer<typeof credentialSchema>["status"];

/** Credentials from a kubeconfig's exec plugin, kept until they expire or are refused. */
export function createExecCredential(
  exec: z.infer<typeof execSchema>,
  cluster: { server: string; "certificate-authority-data"?: string },
  folder: string,
) {
  let held: Promise<Credential> | null = null;
  let expiresAt = Infinity;

  const ask = async (): Promise<Credential> => {
    const info = {
      apiVersion: exec.apiVersion,
      kind: "ExecCredential",
      spec: { interactive: false, ...(exec.provideClusterInfo ? { cluster } : {}) },
    };
    const env = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
    const { stdout } = await run(exec.command, exec.args ?? [], {
      cwd: exec.command.startsWith(".") ? folder : undefined,
      env: { ...process.env, ...env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
      timeout: PLUGIN_TIMEOUT_MS,
      maxBuffer: 1 << 20,
    }).catch((error: unknown) => {
      // The plugin's own output may hold a secret: only its name and our hint are told.
      const hint = exec.installHint ? ` ${exec.installHint.trim()}` : "";
      throw new Error(`The kubeconfig's exec plugin "${exec.command}" failed (${codeOf(error)}).${hint}`);
    });
    const status = credentialIn(stdout, exec.command);
    expiresAt = status.expirationTimestamp ? Date.parse(status.expirationTimestamp) : Infinity;
    return status;
  };

  return {
    read: (): Promise<Credential> => {
      if (held && Date.now() < expiresAt - RENEW_BEFORE_MS) return held;
      expiresAt = Infinity;
      const asked = ask();
      held = asked;
      asked.catch(() => {
        if (held === asked) held = null;
      });
      return asked;
    },
    forget: () => {
      held = null;
    },
  };
}

function credentialIn(stdout: string, command: string): Credential {
  const answer = credentialSchema.safeParse(jsonOf(stdout));
  if (answer.success) return answer.data.status;
  // Nothing of what it said instead is quoted: a secret may be in it.
  throw new Error(`The kubeconfig's exec plugin "${command}" answered with something that is no ExecCredential.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "no exit code";
  return typeof error.code === "number" ? `exit code ${error.code}` : String(error.code);
}
