import { contentHash } from "@/machines/content-hash";
import type { Lifecycle } from "@/machines/kind";
import { metaOf, stateMetaOf } from "@/machines/lifecycle";
import { z } from "zod";
import { mustMay } from "./access";
import type { GetAnswer, Offer } from "./state-answers";
import type { Asked } from "./context";
import { kindOf } from "./context";
import { lifecycleStates, utc } from "./lifecycle-states";
import { offersFor } from "./offers";
import { readResource, type Reading } from "./read-resource";
import type { Ref } from "./ref";
import { lastPass, liveRow } from "./live-row";

/** One resource, read live: where it is and what may be done with it. */
export async function get(asked: Asked, ref: Ref): Promise<GetAnswer> {
  await mustRead(asked, ref);
  const [reading, last] = await Promise.all([readResource(asked, ref), lastPass(asked, ref)]);
  const { kind, object, resource } = reading;
  const states = lifecycleStates(kind, resource);
  const { metadata } = object;
  return {
    row: liveRow(reading, last),
    title: kind.title,
    lifecycles: Object.entries(kind.lifecycles).map(([lifecycle, definition]) => {
      const { machine, composedOf = [] } = definition;
      const { state, tone, since } = states[lifecycle] ?? { state: "", tone: "warn" as const, since: null };
      return {
        lifecycle,
        title: metaOf(machine).title,
        machine: contentHash(machine),
        state,
        tone,
        since,
        desired: desiredIn(definition, resource),
        summary: stateMetaOf(machine, state).summary,
        settled: metaOf(machine).settled.includes(state),
        composedOf: [...composedOf],
      };
    }),
    commands: (await offersFor(asked, reading)).map((offer) => ({
      ...offer,
      changes: changesSomething(reading, offer),
    })),
    conditions: conditionsOf(reading),
    createdAt: utc(metadata.creationTimestamp),
    deletingSince: utc(metadata.deletionTimestamp),
    generation: metadata.generation ?? null,
    resourceVersion: metadata.resourceVersion ?? "",
    annotations: shownAnnotations(metadata.annotations),
    readAt: new Date(reading.now).toISOString(),
  };
}

function desiredIn(lifecycle: Lifecycle, resource: unknown): GetAnswer["lifecycles"][number]["desired"] {
  const desired = lifecycle.desiredOf?.(resource);
  return desired ? { state: desired.state, since: utc(desired.since) } : null;
}

/** A start of what is started is allowed and writes nothing; what wants to be told something first may write anything. */
function changesSomething({ reconciler, seen, now }: Reading, { command, allowed, args }: Offer): boolean {
  if (!allowed) return false;
  if (Object.values(args).some((arg) => arg.default === undefined)) return true;
  const defaults = Object.fromEntries(Object.entries(args).map(([name, arg]) => [name, arg.default]));
  return reconciler.compute(seen, { ...defaults, type: command }, now).effects.length > 0;
}

/** Every read of one resource needs `get` on it. */
export async function mustRead(asked: Asked, ref: Ref): Promise<void> {
  const { api } = kindOf(asked, ref.kind);
  await mustMay(asked.rights, asked.identity, {
    verb: "get",
    api,
    namespace: ref.namespace || undefined,
    name: ref.name,
  });
}

export const conditionsSchema = z
  .array(
    z.object({
      type: z.string(),
      status: z.string(),
      reason: z.string().default(""),
      message: z.string().default(""),
      lastTransitionTime: z.string().default(""),
    }),
  )
  .catch([]);

function conditionsOf({ object }: Reading) {
  return conditionsSchema.parse(object.status?.conditions ?? []);
}

/** What kubectl keeps for itself repeats the whole object, secrets included. */
export function shownAnnotations(annotations: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).filter(([name]) => name !== "kubectl.kubernetes.io/last-applied-configuration"),
  );
}
