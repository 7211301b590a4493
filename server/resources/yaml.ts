import { stringify } from "yaml";
import { isRecord } from "@/server/reconcile/merge-patch";
import { kindOf, type Asked } from "./context";
import { mustRead, shownAnnotations } from "./get";
import { objectOf } from "./read-resource";
import type { Ref } from "./ref";

/** The object as YAML: without what only machines write, and without values that are secrets. */
export async function yaml(asked: Asked, ref: Ref): Promise<{ yaml: string; redacted: number }> {
  await mustRead(asked, ref);
  const { metadata, ...rest } = await objectOf(asked, kindOf(asked, ref.kind), ref);
  const shown = { ...metadata, managedFields: undefined, annotations: shownAnnotations(metadata.annotations) };
  const { value, redacted } = redact({ ...rest, metadata: shown });
  return { yaml: stringify(value, { keepUndefined: false }), redacted };
}

// A name that says that its value is a secret; a reference to one ("passwordSecretRef") is an object and is shown.
const secretName = /(password|passwd|secret|token|api[-_]?key|private[-_]?key|credential)s?$/i;

/** Values under a name that says secret, and `value` of an environment variable of such a name. */
export function redact(value: unknown): { value: unknown; redacted: number } {
  let redacted = 0;
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    if (!isRecord(part)) return part;
    const isSecretVariable = typeof part.name === "string" && secretName.test(part.name);
    return Object.fromEntries(
      Object.entries(part).map(([key, child]) => {
        const hide = secretName.test(key) || (isSecretVariable && key === "value") || key === "stringData";
        if (!hide || child === "" || (typeof child !== "string" && key !== "stringData")) return [key, walk(child)];
        redacted++;
        return [key, "(redacted)"];
      }),
    );
  };
  return { value: walk(value), redacted };
}
