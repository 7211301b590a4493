import { z } from "zod";
import type { KubernetesObject } from "@/server/kubernetes/object";

const conditionsSchema = z.array(z.object({ status: z.string(), reason: z.string(), message: z.string() })).catch([]);

/**
 * What a resource itself says of the state that it rests in: the condition that is not met for the reason of that very
 * state. A message that only names the state again says nothing.
 */
export function ownWords(object: KubernetesObject, state: string): string | null {
  const conditions = conditionsSchema.parse(object.status?.conditions ?? []);
  const said = conditions.find(
    ({ status, reason, message }) =>
      status === "False" && reason === state && message !== "" && !message.endsWith(` is ${state}`),
  );
  return said?.message ?? null;
}
