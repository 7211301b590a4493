import { feldera } from "@/machines/feldera/family";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";
import { mustMay } from "@/server/resources/access";
import { act, type Answer } from "./act";
import { connectorErrors } from "./connector-errors";
import { parseBody, requireName, specFrom } from "./pipeline-body";
import { isSelector, pipelineView, type Selector } from "./pipeline-view";
import { RestError } from "./rest-error";
import { create, edit, found, mayTouch, remove, shown, type Target } from "./stored-pipeline";

type Call = Target & { query: URLSearchParams; body: () => Promise<unknown> };
type Route = (call: Call) => Promise<Answer>;

const { api } = feldera.kinds.pipeline;

/** Method and form of the path → what answers it. */
export const routes: Record<string, Route> = {
  "GET pipelines": async ({ asked, namespace, query }) => {
    await mustMay(asked.rights, asked.identity, { verb: "list", api, namespace });
    const selector = selectorOf(query);
    const { items } = await asked.client.list(api, { namespace });
    const pipelines = items.map((item) => shown(asked, item));
    return { status: 200, body: await views({ asked, namespace }, pipelines, selector) };
  },
  "POST pipelines": async (call) => {
    const body = parseBody(await call.body());
    return { status: 201, body: await create({ ...call, name: requireName(body.name) }, specFrom(body, null)) };
  },
  "GET pipelines/{name}": async (call) => {
    await mayTouch(call, "get");
    const selector = selectorOf(call.query);
    const [body] = await views(call, [await found(call)], selector);
    return { status: 200, body };
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
  "DELETE pipelines/{name}": async (call) => {
    await remove(call);
    return { status: 200, body: { message: "Pipeline is deleted" } };
  },
  "POST pipelines/{name}/start": (call) => {
    const initial = call.query.get("initial") ?? "running";
    if (!["running", "paused", "standby"].includes(initial)) {
      throw new RestError(405, "UnsupportedPipelineAction", `"${initial}" is none of running, paused and standby.`, {
        initial,
      });
    }
    const dismiss_error = flagIn(call.query, "dismiss_error", "true");
    return act(call, "start", { initial, dismiss_error }, "Pipeline is starting");
  },
  "POST pipelines/{name}/stop": (call) => {
    const force = flagIn(call.query, "force", "false");
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

async function views(place: Pick<Target, "asked" | "namespace">, pipelines: Pipeline[], selector: Selector) {
  if (selector !== "status_with_connectors") return pipelines.map((pipeline) => pipelineView(pipeline, selector));
  const errors = await connectorErrors(place, pipelines);
  return pipelines.map((pipeline) => ({
    ...pipelineView(pipeline, "status"),
    connectors: errors.get(pipeline.metadata.name) ?? null,
  }));
}

function absent(error: unknown): null {
  if (error instanceof RestError && error.status === 404) return null;
  throw error;
}

/** A PUT empties what it leaves out, the wishes aside: they are no part of what it describes. */
function wishesOf({ deployment, clear }: Pipeline["spec"]): Pipeline["spec"] {
  return { ...specFrom({}, null), deployment, clear };
}

/** A word that is neither is refused: whoever sends it means something that we would guess at. */
function flagIn(query: URLSearchParams, name: string, otherwise: "true" | "false"): boolean {
  const word = query.get(name) ?? otherwise;
  if (word === "true" || word === "false") return word === "true";
  throw new RestError(400, "InvalidQueryParam", `${name} is either true or false, not "${word}".`, { [name]: word });
}

function selectorOf(query: URLSearchParams): Selector {
  const selector = query.get("selector") ?? "all";
  if (isSelector(selector)) return selector;
  throw new RestError(400, "InvalidSelector", `"${selector}" is none of all, status and status_with_connectors.`, {
    selector,
  });
}
