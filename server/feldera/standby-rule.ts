import { z } from "zod";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";

/** Standby follows what another pipeline puts into object storage, and is had only once until the storage is cleared. */
export function mayBeStandby({ spec, status }: Pipeline): boolean {
  return !status.activated && synchronisedSchema.safeParse(spec.runtime_config.storage).success;
}

const synchronisedSchema = z.object({
  backend: z.object({ name: z.literal("file"), config: z.object({ sync: z.looseObject({}) }) }),
});
