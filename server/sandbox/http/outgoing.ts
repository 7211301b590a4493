import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Call } from "@/server/sandbox/http/call";
import { present } from "@/server/sandbox/http/present";
import { respondText } from "@/server/sandbox/http/respond";
import { jsonOf } from "@/server/sandbox/storage/json-of";
import { partialMetadata } from "@/server/sandbox/table/partial-metadata";
import { tableDocument, type Form } from "@/server/sandbox/table/table-document";

/** Answers with an object, in the version and the form that the client asked for. */
export function respondObject(call: Call, code: number, object: KubernetesObject) {
  const { type, form, response, ctx } = call;
  const shown = present(type, object);
  const body = form === "object" ? jsonOf(shown) : JSON.stringify(formed(call, form, shown));
  respondText(response, code, body, { "content-type": "application/json", ...warningsOf(ctx.warnings) });
}

function formed({ type, cluster, query }: Call, form: Exclude<Form, "object">, object: KubernetesObject): unknown {
  if (form === "metadata") return partialMetadata(object);
  return tableDocument(type, [object], {
    now: cluster.clock.now(),
    include: query.get("includeObject"),
    metadata: { resourceVersion: object.metadata.resourceVersion },
  });
}

function warningsOf(warnings: readonly string[] | undefined): Record<string, string[]> {
  if (!warnings || warnings.length === 0) return {};
  return { warning: warnings.map((sentence) => `299 - ${JSON.stringify(sentence)}`) };
}
