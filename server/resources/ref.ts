import { z } from "zod";
import type { KindId } from "@/machines/families";

/** Any kind that the server knows; the ids of this build are offered by the editor. */
export const kindIdSchema: z.ZodType<KindId | (string & {}), string> = z
  .string()
  .regex(/^[a-z][A-Za-z]*\.[a-z][A-Za-z]*$/, "must be family.kind, such as firebolt.engine")
  .max(100)
  .describe("family.kind, such as firebolt.engine");

const dnsLabelOrNone = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$/;
const dnsName = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** One resource. The namespace of a cluster-scoped kind is empty. */
export const refSchema = z.object({
  kind: kindIdSchema,
  namespace: z
    .string()
    .max(63)
    .regex(dnsLabelOrNone, "must be the name of a namespace")
    .describe("empty for a kind that has none"),
  name: z.string().max(253).regex(dnsName, "must be the name of an object"),
});
export type Ref = z.infer<typeof refSchema>;

/** The resource that an id names. */
export function refOf(id: string): Ref {
  const [kind = "", namespace = "", name = ""] = id.split("/");
  return { kind, namespace, name };
}

export function idOf({ kind, namespace, name }: Ref): string {
  return `${kind}/${namespace}/${name}`;
}
