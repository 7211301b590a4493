import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Call } from "@/server/sandbox/http/call";
import { present } from "@/server/sandbox/http/present";
import { respondText } from "@/server/sandbox/http/respond";
import { jsonOf } from "@/server/sandbox/storage/json-of";
import { partialMetadata } from "@/server/sandbox/table/partial-metadata";
import { tableDocument, wantedForm, type Form } from "@/server/sandbox/table/table-document";

/** Answers with an object, in the version and the form that the client asked for. */
export function respondObject(
  { type, request, response, cluster, query, ctx }: Call,
  code: number,
  object: KubernetesObject,
) {
  const shown = present(type, object);
  const form = wantedForm(request.headers.accept);
  const body = form === "object" ? jsonOf(shown) : JSON.stringify(formed(form, shown));
  respondText(response, code, body, { "content-type": "application/json", ...warningsOf(ctx.warnings) });

  function formed(as: Exclude<Form, "object">, value: KubernetesObject): unknown {
    if (as === "metadata") return partialMetadata(value);
    return tableDocument(type, [value], {
      now: cluster.clock.now(),
      include: query.get("includeObject"),
      metadata: { resourceVersion: value.metadata.resourceVersion },
    });
  }
}

function warningsOf(warnings: readonly string[] | undefined): Record<string, string[]> {
  if (!warnings || warnings.length === 0) return {};
  return { warning: warnings.map((sentence) => `299 - ${JSON.stringify(sentence)}`) };
}
