import { feldera } from "@/machines/feldera/family";
import { pipelineSchema, type Pipeline } from "@/machines/feldera/pipeline.schema";
import { isAlreadyExists, isConflict, isNotFound } from "@/server/kubernetes/errors";
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

export async function create(call: Target, spec: Pipeline["spec"]): Promise<Record<string, unknown>> {
  return pipelineView(shown(call.asked, await createObject(call, spec)), "all");
}

async function createObject({ asked, namespace, name }: Target, spec: Pipeline["spec"]): Promise<KubernetesObject> {
  await mustMay(asked.rights, asked.identity, { verb: "create", api, namespace });
  const object = {
    apiVersion: apiVersionOf(api),
    kind: api.kind,
    metadata: { name, namespace },
    spec: withoutEmpty(spec),
  };
  try {
    return await asked.client.create(api, object);
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
  try {
    if (name !== call.name) return await rename(call, name, object, spec);
    const { resourceVersion } = object.metadata;
    const changed = {
      ...object,
      metadata: { ...object.metadata, name, namespace, resourceVersion },
      spec: withoutEmpty(spec),
    };
    return pipelineView(shown(asked, await asked.client.replace(api, changed)), "all");
  } catch (error) {
    // It was written meanwhile, be it by the worker: the rules are asked again on what is there now.
    if (isConflict(error)) return edit(call, name, next);
    throw error;
  }
}

/**
 * An object keeps its name: under another one the pipeline is a new object. It takes over what was compiled, and the id
 * and version that a compiler image keeps it under. Whatever the worker has begun on it meanwhile, it then reads anew.
 */
async function rename(call: Target, name: string, before: KubernetesObject, spec: Pipeline["spec"]) {
  const { asked, namespace } = call;
  await mayTouch(call, "delete");
  const { deployment, clear } = specFrom({}, null);
  const {
    metadata: { uid },
  } = await createObject({ ...call, name }, { ...spec, deployment, clear });
  try {
    const status = withoutEmpty(renamedStatus(pipelineSchema.parse(before), spec));
    const how = { type: "merge", subresource: "status" } as const;
    const object = await asked.client.patch(api, { namespace, name }, { status }, how);
    await deleteUnchanged(call, before);
    return pipelineView(shown(asked, object), "all");
  } catch (error) {
    // Two of one pipeline would be compiled and could be started, each for itself.
    await asked.client.delete(api, { namespace, name }, uid ? { uid } : {});
    throw error;
  }
}

export async function remove(call: Target): Promise<void> {
  await mayTouch(call, "delete");
  const object = await raw(call);
  allowedBy(deletionRefusal(shown(call.asked, object)));
  try {
    await deleteUnchanged(call, object);
  } catch (error) {
    // It was written meanwhile, perhaps by a start: the rules are asked again on what is there now.
    if (isConflict(error)) return remove(call);
    throw error;
  }
}

/** Nothing goes that was started, or edited, since it was looked at. */
async function deleteUnchanged({ asked, namespace, name }: Target, { metadata }: KubernetesObject): Promise<void> {
  const { uid, resourceVersion } = metadata;
  await asked.client.delete(
    api,
    { namespace, name },
    { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
  );
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
    if (isNotFound(error)) throw unknownPipeline(name);
    throw error;
  }
}

export function unknownPipeline(name: string): RestError {
  return new RestError(404, "UnknownPipelineName", `There is no pipeline "${name}".`, { pipeline_name: name });
}
