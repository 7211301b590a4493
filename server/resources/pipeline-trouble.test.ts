import { afterAll, beforeAll, expect, test } from "vitest";
import { PIPELINE_PORT, pipelineNames } from "@/server/feldera/pipeline-names";
import { apis } from "@/server/kubernetes/apis";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { createPipeline, pipelineApi, playCompiler, podOf } from "./fixtures/feldera";
import { createNamespace } from "./fixtures/firebolt";
import { createStage, type Stage } from "./fixtures/stage";
import { ended, unschedulable, waiting, warn } from "./fixtures/troubles";

/** What is done to a pipeline that is being compiled or provisioned, and the words that only the true cause has. */
type Trouble = { while: "compiling" | "provisioning"; cause: RegExp; make: (at: At) => Promise<unknown> };
type At = { stage: Stage; namespace: string; name: string };

const objectOf = (api: typeof apis.pod, name: (pipeline: string) => string) => (at: At) =>
  at.stage.client.get(api, { namespace: at.namespace, name: name(at.name) });
const setOf = objectOf(apis.statefulSet, pipelineNames.compute);
const claimOf = objectOf(apis.persistentVolumeClaim, pipelineNames.claim);
const jobOf = objectOf(apis.job, (name) => pipelineNames.job(name, "sql", 1));

async function podWith(at: At, status: Record<string, unknown>): Promise<KubernetesObject> {
  const pod = await at.stage.create(podOf(at, "process", await setOf(at)));
  return at.stage.setStatus(pod, status);
}

const failedCreate = (message: string) => async (at: At) => warn(at, await setOf(at), "FailedCreate", message);

const sqlError = {
  start_line_number: 3,
  start_column: 8,
  end_line_number: 3,
  end_column: 12,
  warning: false,
  error_type: "Error parsing SQL",
  message: 'Encountered "FORM"',
};

const troubles: Record<string, Trouble> = {
  "an error in the SQL": {
    while: "compiling",
    cause: /line 3, column 8: Encountered "FORM"/,
    make: (at) => playCompiler(at.stage, at, { ok: false, sql_compilation: { exit_code: 1, messages: [sqlError] } }),
  },
  "an error in the Rust code": {
    while: "compiling",
    cause: /cannot find function `twice`/,
    make: async (at) => {
      await playCompiler(at.stage, at, { ok: true });
      for (let pass = 0; pass < 3; pass++) await at.stage.passOver("feldera.pipeline", at);
      const rust_compilation = { exit_code: 1, stdout: "", stderr: "error[E0425]: cannot find function `twice`" };
      await playCompiler(at.stage, at, { ok: false, rust_compilation });
    },
  },
  "a compiler that breaks down": {
    while: "compiling",
    cause: /has reached the specified backoff limit/,
    make: async (at) => {
      const message = "Job has reached the specified backoff limit";
      const failed = { type: "Failed", status: "True", reason: "BackoffLimitExceeded", message };
      await at.stage.setStatus(await jobOf(at), { conditions: [failed], failed: 1 });
    },
  },
  "a compiler that cannot be scheduled": {
    while: "compiling",
    cause: /Insufficient cpu/,
    make: async (at) => {
      const pod = await at.stage.create(podOf(at, "sql", await jobOf(at)));
      await at.stage.setStatus(pod, unschedulable("0/3 nodes are available: 3 Insufficient cpu."));
    },
  },
  "a storage class that does not exist": {
    while: "provisioning",
    cause: /storageclass.storage.k8s.io "fast" not found/,
    make: async (at) => {
      const claim = await at.stage.setStatus(await claimOf(at), { phase: "Pending" });
      await warn(at, claim, "ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found');
    },
  },
  "no node with room": {
    while: "provisioning",
    cause: /Insufficient memory/,
    make: (at) => podWith(at, unschedulable("0/3 nodes are available: 3 Insufficient memory.")),
  },
  "an image that cannot be pulled": {
    while: "provisioning",
    cause: /ImagePullBackOff/,
    make: (at) => podWith(at, waiting("ImagePullBackOff", 'Back-off pulling image "pipeline:nope"')),
  },
  "a quota that is used up": {
    while: "provisioning",
    cause: /exceeded quota: small/,
    make: failedCreate('create Pod failed error: pods "x" is forbidden: exceeded quota: small, requested: pods=1'),
  },
  "a ServiceAccount that is missing": {
    while: "provisioning",
    cause: /serviceaccount "runner" not found/,
    make: failedCreate('create Pod failed error: error looking up service account: serviceaccount "runner" not found'),
  },
  "a process that ends at once": {
    while: "provisioning",
    cause: /ended with exit code 137.*OOMKilled/,
    make: (at) => podWith(at, ended(137, "OOMKilled")),
  },
  "a webhook's denial": {
    while: "provisioning",
    cause: /admission webhook "policy.example.com" denied/,
    make: failedCreate('create Pod failed error: admission webhook "policy.example.com" denied the request: no'),
  },
  "a crash loop": {
    while: "provisioning",
    cause: /exit code 1.*restarted 7 times.*cannot read the checkpoint/,
    make: (at) => podWith(at, ended(1, "Error", { message: "cannot read the checkpoint" })),
  },
  "a process that fails as it runs": {
    while: "provisioning",
    cause: /a circuit panicked/,
    make: async (at) => {
      await at.stage.setStatus(await claimOf(at), { phase: "Bound" });
      const conditions = [{ type: "Ready", status: "True" }];
      await podWith(at, { phase: "Running", podIP: "10.1.2.3", conditions });
      const status = (code: number, body: object) =>
        at.stage.answers.set(`http://10.1.2.3:${PIPELINE_PORT}/status`, () => ({
          status: code,
          body: JSON.stringify(body),
        }));
      status(200, { runtime_status: "Running", runtime_desired_status: "Running" });
      for (let pass = 0; pass < 3; pass++) await at.stage.passOver("feldera.pipeline", at);
      status(500, { message: "a circuit panicked", error_code: "RuntimeError.WorkerPanic" });
    },
  },
  "a finalizer that holds what was to go": {
    while: "provisioning",
    cause: /held by the finalizer example.com\/hold/,
    make: async (at) => {
      const { metadata } = await setOf(at);
      const held = { metadata: { finalizers: ["example.com/hold"] } };
      await at.stage.client.patch(apis.statefulSet, metadata, held, { type: "merge" });
      const stop = { spec: { deployment: { desired: "Stopped" } } };
      await at.stage.client.patch(pipelineApi, at, stop, { type: "merge" });
      for (let pass = 0; pass < 3; pass++) await at.stage.passOver("feldera.pipeline", at);
      await at.stage.clock.advance(120_000);
    },
  },
  "provisioning that takes too long": {
    while: "provisioning",
    cause: /Provisioning took longer than \d+ s/,
    make: async (at) => {
      await at.stage.setStatus(await claimOf(at), { phase: "Bound" });
      await at.stage.clock.advance(3_600_000);
    },
  },
};

let stage: Stage;
beforeAll(async () => {
  stage = await createStage({ reads: "memory" });
});
afterAll(() => stage.stop());

/** Until the compiler's Job is there; or on, with a compiler that succeeds, until compute is being made. */
async function bringTo(at: At, what: Trouble["while"]): Promise<void> {
  const isThere = async () => (await (what === "compiling" ? jobOf(at) : setOf(at)).catch(() => null)) !== null;
  for (let pass = 0; pass < 20 && !(await isThere()); pass++) {
    await stage.passOver("feldera.pipeline", at);
    if (what === "provisioning") await playCompiler(stage, at, { ok: true });
  }
}

/** As the garbage collector: pods whose Job is gone go with it. */
async function collectGarbage(namespace: string): Promise<void> {
  const jobs = new Set(stage.sandbox.cluster.list(apis.job, { namespace }).map(({ metadata }) => metadata.uid));
  for (const { metadata } of stage.sandbox.cluster.list(apis.pod, { namespace })) {
    const [owner] = metadata.ownerReferences ?? [];
    if (owner?.kind === "Job" && !jobs.has(owner.uid))
      await stage.client.delete(apis.pod, metadata, { graceSeconds: 0 });
  }
}

const missed: string[] = [];

test.each(Object.entries(troubles))("the first line of the explanation names %s", async (title, trouble) => {
  const namespace = `sick-${Object.keys(troubles).indexOf(title)}`;
  const at = { stage, namespace, name: "sick" };
  await createNamespace(stage, namespace);
  const desired = trouble.while === "compiling" ? "Stopped" : "Provisioned";
  await createPipeline(stage, { namespace, name: "sick" }, { spec: { deployment: { desired } } });
  await bringTo(at, trouble.while);
  await trouble.make(at);
  await stage.passOver("feldera.pipeline", at);
  await collectGarbage(namespace);
  await stage.projection.settled();
  const { why, sentence } = await stage.as().resource.explain({ kind: "feldera.pipeline", namespace, name: "sick" });
  // It would keep the compiler from those that come after it.
  await stage.client.delete(pipelineApi, at);
  if (!trouble.cause.test(why ?? "")) missed.push(`${title}: ${why ?? "nothing"}`);
  // State first, then the cause; and it is always said when it is looked at again.
  expect(sentence).toContain(why ?? "");
  expect(sentence).toMatch(/ (for [\w ]+|since unknown)\. .*\. Looked at again .+\.$/);
});

test("all of them are named", () => {
  expect(missed).toEqual([]);
});
