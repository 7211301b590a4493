import { randomUUID } from "node:crypto";
import { feldera } from "@/machines/feldera/family";
import { pipelineSchema, type Pipeline } from "@/machines/feldera/pipeline.schema";
import { isAlreadyExists, isConflict } from "@/server/kubernetes/errors";
import { apiVersionOf, type KubernetesObject } from "@/server/kubernetes/object";
import { mustMay } from "@/server/resources/access";
import { command } from "@/server/resources/command";
import type { Asked } from "@/server/resources/context";
import { readResource } from "@/server/resources/read-resource";
import { Refused } from "@/server/resources/refusal";
import { promised } from "../promised-status";
import { withoutEmpty } from "../without-empty";
import { requireEditable } from "./edit-rules";
import { parseBody, requireName, specFrom } from "./pipeline-body";
import { isSelector, pipelineView, type Selector } from "./pipeline-view";
import { refusedCommand } from "./refused-command";
import { RestError } from "./rest-error";

export type Call = {
  asked: Asked;
  namespace: string;
  name: string;
  query: URLSearchParams;
  body: () => Promise<unknown>;
};
type Answer = { status: number; body: unknown };
type Route = (call: Call) => Promise<Answer>;

const { api } = feldera.kinds.pipeline;
const KIND = "feldera.pipeline";

/** Method and form of the path → what answers it. */
export const routes: Record<string, Route> = {
  "GET pipelines": async ({ asked, namespace, query }) => {
    await mustMay(asked.rights, asked.identity, { verb: "list", api, namespace });
    const { items } = await asked.client.list(api, { namespace });
    const selector = selectorOf(query);
    return { status: 200, body: items.map((item) => pipelineView(shown(asked, item), selector)) };
  },
  "POST pipelines": async (call) => {
    const body = parseBody(await call.body());
    return { status: 201, body: await create({ ...call, name: requireName(body.name) }, specFrom(body, null)) };
  },
  "GET pipelines/{name}": async (call) => {
    await mayTouch(call, "get");
    return { status: 200, body: pipelineView(await found(call), selectorOf(call.query)) };
  },
  "PUT pipelines/{name}": async (call) => {
    const body = parseBody(await call.body());
    const name = requireName(body.name ?? call.name);
    const existing = await found(call).catch(absent);
    if (existing) return { status: 200, body: await edit(call, name, (before) => specFrom(body, wishesOf(before))) };
    if (name !== call.name) {
      throw new RestError(400, "CannotRenameNonExistingPipeline", `There is no pipeline "${call.name}" to rename.`);
    }
    return { status: 201, body: await create({ ...call, name }, specFrom(body, null)) };
  },
  "PATCH pipelines/{name}": async (call) => {
    const body = parseBody(await call.body());
    const view = await edit(call, requireName(body.name ?? call.name), (before) => specFrom(body, before));
    return { status: 200, body: view };
  },
  "DELETE pipelines/{name}": remove,
  "POST pipelines/{name}/start": (call) => {
    const initial = call.query.get("initial") ?? "running";
    if (!["running", "paused", "standby"].includes(initial)) {
      throw new RestError(405, "UnsupportedPipelineAction", `"${initial}" is none of running, paused and standby.`, {
        initial,
      });
    }
    const dismiss_error = call.query.get("dismiss_error") !== "false";
    return act(call, "start", { initial, dismiss_error }, "Pipeline is starting");
  },
  "POST pipelines/{name}/stop": (call) => {
    const force = call.query.get("force") === "true";
    return act(call, "stop", { force }, (changed) =>
      JSON.stringify(changed).includes("Suspended") ? "Pipeline is suspending" : "Pipeline is forcefully stopping",
    );
  },
  "POST pipelines/{name}/clear": (call) => act(call, "clear", {}, "Pipeline storage is being cleared"),
  "POST pipelines/{name}/pause": (call) => act(call, "pause", {}, "Pipeline is pausing"),
  "POST pipelines/{name}/resume": (call) => act(call, "resume", {}, "Pipeline is resuming"),
  "POST pipelines/{name}/activate": (call) => {
    const initial = call.query.get("initial") ?? "running";
    if (!["running", "paused"].includes(initial)) {
      throw new RestError(400, "InvalidActivateStatus", `"${initial}" is neither running nor paused.`, { initial });
    }
    return act(call, "activate", { initial }, "Pipeline is activating");
  },
  "POST pipelines/{name}/dismiss_error": async (call) => {
    await mayTouch(call, "get");
    // Nothing to dismiss is as good as dismissed.
    if (!(await found(call)).status.deployment_error) return { status: 200, body: { message: "There is no error" } };
    return { ...(await act(call, "dismissError", {}, "The error is dismissed")), status: 200 };
  },
};

async function act(
  call: Call,
  type: string,
  args: Record<string, unknown>,
  message: string | ((changed: Record<string, unknown>) => string),
): Promise<Answer> {
  const ref = { kind: KIND, namespace: call.namespace, name: call.name };
  const answer = await command(call.asked, { ...ref, command: type, args, idempotencyKey: randomUUID() });
  if (answer.accepted) {
    return { status: 202, body: { message: typeof message === "string" ? message : message(answer.changed) } };
  }
  const { refusal } = answer;
  if (refusal.code === "state") {
    throw refusedCommand(await readResource(call.asked, ref), { ...args, type }, refusal);
  }
  throw new Refused(refusal.code, refusal.sentence, refusal.reason);
}

async function create({ asked, namespace, name }: Call, spec: Pipeline["spec"]): Promise<Record<string, unknown>> {
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

async function edit(
  call: Call,
  name: string,
  next: (spec: Pipeline["spec"]) => Pipeline["spec"],
): Promise<Record<string, unknown>> {
  const { asked, namespace } = call;
  await mayTouch(call, "update");
  const object = await raw(call);
  const pipeline = shown(asked, object);
  if (name !== call.name) {
    throw new RestError(400, "UpdateRestrictedToStopped", "A pipeline keeps its name: `name` cannot be changed.", {
      not_allowed: ["`name`"],
    });
  }
  const spec = next(pipeline.spec);
  requireEditable(pipeline, spec);
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

async function remove(call: Call): Promise<Answer> {
  await mayTouch(call, "delete");
  const { status, metadata } = await found(call);
  if (status.deployment_resources_status !== "Stopped" || status.deployment_resources_desired_status !== "Stopped") {
    throw new RestError(
      400,
      "DeleteRestrictedToFullyStopped",
      `Stop the pipeline first; it is ${status.deployment_status}.`,
    );
  }
  if (status.storage_status !== "Cleared") {
    throw new RestError(
      400,
      "DeleteRestrictedToClearedStorage",
      `Clear the storage first; it is ${status.storage_status}.`,
    );
  }
  await call.asked.client.delete(api, { namespace: call.namespace, name: call.name }, { uid: metadata.uid });
  return { status: 200, body: { message: "Pipeline is deleted" } };
}

function mayTouch({ asked, namespace, name }: Call, verb: string): Promise<void> {
  return mustMay(asked.rights, asked.identity, { verb, api, namespace, name });
}

async function found(call: Call): Promise<Pipeline> {
  return shown(call.asked, await raw(call));
}

/** With what was asked of it and no pass has looked at yet: this API changes a status in the request itself. */
function shown({ clock }: Asked, object: KubernetesObject): Pipeline {
  return promised(pipelineSchema.parse(object), clock.now());
}

async function raw({ asked, namespace, name }: Call): Promise<KubernetesObject> {
  try {
    return await asked.client.get(api, { namespace, name });
  } catch (error) {
    if (error instanceof Error && "kind" in error && error.kind === "notFound") {
      throw new RestError(404, "UnknownPipelineName", `There is no pipeline "${name}".`, { pipeline_name: name });
    }
    throw error;
  }
}

function absent(error: unknown): null {
  if (error instanceof RestError && error.status === 404) return null;
  throw error;
}

/** A PUT empties what it leaves out, the wishes aside: they are no part of what it describes. */
function wishesOf({ deployment, clear }: Pipeline["spec"]): Pipeline["spec"] {
  return { ...specFrom({}, null), deployment, clear };
}

function selectorOf(query: URLSearchParams): Selector {
  const selector = query.get("selector") ?? "all";
  if (isSelector(selector)) return selector;
  throw new RestError(400, "InvalidSelector", `"${selector}" is none of all, status and status_with_connectors.`, {
    selector,
  });
}
