import { feldera } from "@/machines/feldera/family";
import { pipelineSchema, type Pipeline } from "@/machines/feldera/pipeline.schema";
import { isAlreadyExists, isConflict } from "@/server/kubernetes/errors";
import { apiVersionOf, type KubernetesObject } from "@/server/kubernetes/object";
import { mustMay } from "@/server/resources/access";
import type { Asked } from "@/server/resources/context";
import { deletionRefusal, editRefusal, listed, quoted, type RuleBroken } from "../edit-rules";
import { promised } from "../promised-status";
import { renamedStatus } from "../renamed-status";
import { withoutEmpty } from "../without-empty";
import { specFrom } from "./pipeline-body";
import { pipelineView } from "./pipeline-view";
import { RestError } from "./rest-error";

/** Who asks, and for which pipeline. */
export type Target = { asked: Asked; namespace: string; name: string };

const { api } = feldera.kinds.pipeline;

export async function create(
  { asked, namespace, name }: Target,
  spec: Pipeline["spec"],
): Promise<Record<string, unknown>> {
  await mustMay(asked.rights, asked.identity, { verb: "create", api, namespace });
  const object = {
    apiVersion: apiVersionOf(api),
    kind: api.kind,
    metadata: { name, namespace },
    spec: withoutEmpty(spec),
  };
  try {
    return pipelineView(shown(asked, await asked.client.create(api, object)), "all");
  } catch (error) {
    if (isAlreadyExists(error))
      throw new RestError(409, "DuplicateName", `There is a pipeline "${name}" already.`, { name });
    throw error;
  }
}

export async function edit(
  call: Target,
  name: string,
  next: (spec: Pipeline["spec"]) => Pipeline["spec"],
): Promise<Record<string, unknown>> {
  const { asked, namespace } = call;
  await mayTouch(call, "update");
  const object = await raw(call);
  const pipeline = shown(asked, object);
  const spec = next(pipeline.spec);
  allowedBy(editRefusal(pipeline, { name, spec }));
  if (name !== call.name) return rename(call, name, pipelineSchema.parse(object), spec);
  const { resourceVersion } = object.metadata;
  const changed = {
    ...object,
    metadata: { ...object.metadata, name, namespace, resourceVersion },
    spec: withoutEmpty(spec),
  };
  try {
    return pipelineView(shown(asked, await asked.client.replace(api, changed)), "all");
  } catch (error) {
    // The worker wrote its status meanwhile: the rules are asked again on what is there now.
    if (isConflict(error)) return edit(call, name, next);
    throw error;
  }
}

/**
 * An object keeps its name: under another one the pipeline is a new object. It takes over what was compiled, and the id
 * and version that a compiler image keeps it under. Whatever the worker has begun on it meanwhile, it then reads anew.
 */
async function rename(call: Target, name: string, before: Pipeline, spec: Pipeline["spec"]) {
  const { asked, namespace } = call;
  await mayTouch(call, "delete");
  const { deployment, clear } = specFrom({}, null);
  await create({ ...call, name }, { ...spec, deployment, clear });
  const status = withoutEmpty(renamedStatus(before, spec));
  const object = await asked.client.patch(
    api,
    { namespace, name },
    { status },
    { type: "merge", subresource: "status" },
  );
  await asked.client.delete(api, { namespace, name: call.name }, { uid: before.metadata.uid });
  return pipelineView(shown(asked, object), "all");
}

export async function remove(call: Target): Promise<void> {
  await mayTouch(call, "delete");
  const pipeline = await found(call);
  allowedBy(deletionRefusal(pipeline));
  const { uid } = pipeline.metadata;
  await call.asked.client.delete(api, { namespace: call.namespace, name: call.name }, { uid });
}

function allowedBy(refusal: RuleBroken | null): void {
  if (!refusal) return;
  const { code, rule, fields } = refusal;
  if (fields.length === 0) throw new RestError(400, code, `${rule}.`);
  throw new RestError(400, code, `${listed(fields)} ${rule}.`, { not_allowed: fields.map(quoted) });
}

export function mayTouch({ asked, namespace, name }: Target, verb: string): Promise<void> {
  return mustMay(asked.rights, asked.identity, { verb, api, namespace, name });
}

export async function found(call: Target): Promise<Pipeline> {
  return shown(call.asked, await raw(call));
}

/** With what was asked of it and no pass has looked at yet: this API changes a status in the request itself. */
export function shown({ clock }: Asked, object: KubernetesObject): Pipeline {
  return promised(pipelineSchema.parse(object), clock.now());
}

async function raw({ asked, namespace, name }: Target): Promise<KubernetesObject> {
  try {
    return await asked.client.get(api, { namespace, name });
  } catch (error) {
    if (error instanceof Error && "kind" in error && error.kind === "notFound") {
      throw new RestError(404, "UnknownPipelineName", `There is no pipeline "${name}".`, { pipeline_name: name });
    }
    throw error;
  }
}
