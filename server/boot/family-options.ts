import type { Env } from "@/server/env";
import { standInScripts } from "@/server/feldera/stand-ins";
import type { Log } from "@/server/observability/log";
import type { FamilyOptions } from "@/server/reconcilers";

/** An image that has Node and nothing else: the stand-ins are mounted into it. */
const NODE_IMAGE = "localhost/node:20";

/** What the options of the program mean for each family. */
export function familyOptions(env: Env, log: Log): FamilyOptions {
  const standIns = standInScripts({ withParser: env.ORRERY_CLUSTER !== "sandbox" });
  return {
    firebolt: {
      log,
      bounds: {
        cpu: env.ORRERY_ENGINE_MAX_CPU,
        memory: env.ORRERY_ENGINE_MAX_MEMORY,
        "ephemeral-storage": env.ORRERY_ENGINE_MAX_EPHEMERAL_STORAGE,
      },
    },
    feldera: {
      pipelineImage: env.FELDERA_PIPELINE_IMAGE ?? NODE_IMAGE,
      compilerImage: env.FELDERA_COMPILER_IMAGE ?? NODE_IMAGE,
      compilersMax: env.FELDERA_COMPILERS,
      provisioningTimeoutMs: env.FELDERA_PROVISIONING_TIMEOUT * 1000,
      storageMb: 1024,
      platformVersion: "1",
      scripts: {
        pipeline: env.FELDERA_PIPELINE_IMAGE ? null : standIns.pipeline,
        compiler: env.FELDERA_COMPILER_IMAGE ? null : standIns.compiler,
      },
    },
  };
}
