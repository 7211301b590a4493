import { z } from "zod";
import { ownError } from "@/server/own-error";
import { CONCURRENCY } from "@/server/reconcile/concurrency";

/** Every option of the program: one environment variable each, with the flag of the same name (`ORRERY_PORT` is `--port`). */
const options = {
  ORRERY_DATA: z
    .string()
    .min(1)
    .default(".orrery")
    .describe("folder that holds the state of sandbox and embedded database"),
  ORRERY_HOST: z.string().min(1).default("127.0.0.1").describe("address that the dashboard listens on"),
  ORRERY_PORT: port(3000).describe("port that the dashboard listens on"),
  ORRERY_PUBLIC_URL: z
    .url()
    .optional()
    .describe("address that browsers use, where it differs from the one listened on"),
  ORRERY_CLUSTER: z
    .enum(["sandbox", "kubeconfig", "in-cluster"])
    .default("sandbox")
    .describe("which cluster: the sandbox unless another one is asked for"),
  ORRERY_KUBECONFIG: z.string().min(1).optional().describe("kubeconfig file of the cluster"),
  ORRERY_CONTEXT: z.string().min(1).optional().describe("context in that file"),
  ORRERY_NAMESPACE: z.string().min(1).default("orrery-system").describe("namespace of the worker's lease and webhook"),
  ORRERY_SANDBOX_PORT: port(0).describe("port of the sandbox cluster; 0 takes a free one and keeps it over restarts"),
  ORRERY_DEMO: flag(true).describe("fill an empty sandbox with a demo fleet"),
  ORRERY_RESET: flag(false).describe("forget the sandbox's state before the start"),
  ORRERY_HEALTH_PORT: port(0).describe("port of /healthz, /readyz and /metrics of the worker; 0 takes a free one"),
  ORRERY_LOG: z.enum(["debug", "info", "warn", "error"]).default("info").describe("least severe line that is logged"),
  ORRERY_WORKERS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(CONCURRENCY)
    .describe("passes at the same time, per kind"),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must begin with postgres:// or postgresql://")
    .optional()
    .describe("PostgreSQL server; without it the embedded database is used"),
  ORRERY_IDENTITY: z.enum(["none", "token", "oidc"]).default("none").describe("how a user is known"),
  ORRERY_SESSION_SECRET: z.string().min(32).optional().describe("key of the session cookies, at least 32 characters"),
  ORRERY_OIDC_ISSUER: z.url().optional().describe("address of the identity provider"),
  ORRERY_OIDC_CLIENT_ID: z.string().min(1).optional().describe("our name at the identity provider"),
  ORRERY_OIDC_CLIENT_SECRET: z.string().min(1).optional().describe("our secret at the identity provider"),
  ORRERY_OIDC_USER_CLAIM: z.string().min(1).default("email").describe("claim that is the Kubernetes user"),
  ORRERY_OIDC_GROUPS_CLAIM: z.string().min(1).default("groups").describe("claim that lists the Kubernetes groups"),
  ORRERY_KEEP_DAYS: z.coerce.number().int().min(1).default(90).describe("days that transitions and events are kept"),
  ORRERY_KEEP_PER_RESOURCE: z.coerce.number().int().min(10).default(1000).describe("transitions kept per resource"),
  ORRERY_WEBHOOK: flag(false).describe("serve the admission webhook and publish its configuration"),
  ORRERY_WEBHOOK_PORT: port(9443).describe("port of the admission webhook"),
  ORRERY_WEBHOOK_URL: z
    .url()
    .optional()
    .describe("address at which the API server reaches the webhook, in place of a Service"),
  ORRERY_ENGINE_MAX_CPU: quantity().describe("largest CPU request or limit of an engine container"),
  ORRERY_ENGINE_MAX_MEMORY: quantity().describe("largest memory request or limit of an engine container"),
  ORRERY_ENGINE_MAX_EPHEMERAL_STORAGE: quantity().describe(
    "largest ephemeral storage request or limit of an engine container",
  ),
  FELDERA_PIPELINE_IMAGE: z
    .string()
    .min(1)
    .optional()
    .describe("image that runs a pipeline; a stand-in without it (deploy/feldera-images.md)"),
  FELDERA_COMPILER_IMAGE: z
    .string()
    .min(1)
    .optional()
    .describe("image that compiles a program; a stand-in without it (deploy/feldera-images.md)"),
  FELDERA_NAMESPACE: z.string().min(1).default("default").describe("namespace that /v0/pipelines speaks of"),
  FELDERA_COMPILERS: z.coerce.number().int().min(1).default(1).describe("programs compiled at once, per stage"),
  FELDERA_PROVISIONING_TIMEOUT: z.coerce
    .number()
    .int()
    .min(1)
    .default(600)
    .describe("seconds that provisioning may take"),
} satisfies Record<string, z.ZodType>;

const schema = z.object(options);
export type Env = z.infer<typeof schema>;
type OptionName = keyof typeof options;

/** A mistake of the caller: told in one sentence, without a stack. */
export class UsageError extends ownError("UsageError") {}

/** Options from the environment and, winning over it, from flags such as `--port 4000` or `--demo=false`. */
export function parseEnv(variables: Record<string, string | undefined>, args: readonly string[] = []): Env {
  const given: Record<string, string | undefined> = { ...variables, ...flagsOf(args) };
  // Who names a kubeconfig or a context asks for that cluster.
  if (!given.ORRERY_CLUSTER && (given.ORRERY_KUBECONFIG ?? given.ORRERY_CONTEXT)) given.ORRERY_CLUSTER = "kubeconfig";
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = schema.safeParse(present);
  if (!parsed.success) throw new UsageError(parsed.error.issues.map(sentenceOf).join("\n"));
  return parsed.data;
}

/** A line per option, for `--help`. */
export function optionLines(): string[] {
  return Object.entries(options).map(([name, option]) => `  --${flagOf(name).padEnd(22)} ${option.description ?? ""}`);
}

/** Flags as the variables that they stand for. */
export function flagsOf(args: readonly string[]): Record<string, string> {
  const flags: Record<string, string> = {};
  for (let at = 0; at < args.length; at++) {
    const [written = "", inline] = (args[at] ?? "").split(/=(.*)/s);
    const name = Object.keys(options).find((option) => `--${flagOf(option)}` === written);
    if (!name) throw new UsageError(`${written} is not an option; --help lists them.`);
    const next = args[at + 1];
    const bare = next === undefined || next.startsWith("--");
    if (inline === undefined && bare && !takesNoValue(name as OptionName))
      throw new UsageError(`${written} needs a value.`);
    flags[name] = inline ?? (bare ? "true" : next);
    if (inline === undefined && !bare) at++;
  }
  return flags;
}

function takesNoValue(name: OptionName) {
  return schema.shape[name].safeParse("true").data === true;
}

function flagOf(name: string) {
  return name
    .replace(/^ORRERY_/, "")
    .toLowerCase()
    .replaceAll("_", "-");
}

function sentenceOf(issue: z.core.$ZodIssue) {
  const name = String(issue.path[0]);
  return `${name} (--${flagOf(name)}): ${issue.message}.`;
}

function port(usual: number) {
  return z.coerce
    .number("must be a port number")
    .int("must be a port number")
    .min(0, "must be a port between 0 and 65535")
    .max(65_535, "must be a port between 0 and 65535")
    .default(usual);
}

function flag(usual: boolean) {
  return z
    .enum(["true", "false", "1", "0"], "must be true or false")
    .transform((word) => word === "true" || word === "1")
    .default(usual);
}

function quantity() {
  return z
    .string()
    .regex(/^\d+(\.\d+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/, "must be a Kubernetes quantity such as 500m or 16Gi")
    .optional();
}
