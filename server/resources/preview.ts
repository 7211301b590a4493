import { observed, type Event } from "@/machines/lifecycle";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { isRecord, sameValue } from "@/server/reconcile/merge-patch";
import type { Plan } from "@/server/reconcile/plan";
import { writesOf, type PlannedWrite } from "@/server/reconcile/planned-write";
import type { World } from "@/server/reconcile/world";
import type { PreviewAnswer, Write } from "./command-answers";
import { changing } from "./changing";
import { argsOf } from "./command-args";
import type { Asked } from "./context";
import { mustRead } from "./get";
import { lifecycleStates } from "./lifecycle-states";
import { offersFor, refusalAsMeant } from "./offers";
import { parsed, readResource, rethrown, type Reading } from "./read-resource";
import type { Ref } from "./ref";
import type { Refusal } from "./refusal";
import { redact } from "./yaml";

/** What an event would do now: the real step and the real plan on the live facts, with nothing written. */
export async function preview(
  asked: Asked,
  ref: Ref,
  command: string,
  args: Record<string, unknown>,
): Promise<PreviewAnswer> {
  await mustRead(asked, ref);
  const reading = await readResource(asked, ref);
  const from = statesOf(reading);
  if (command === observed.type) return answerOf(reading, from, [], await passOf(reading));
  const offer = (await offersFor(asked, reading)).find((one) => one.command === command);
  const refusal = offer ? offer.refusal : unknownCommand(reading, command);
  const refused = (no: Refusal) => ({ allowed: false, refusal: no, from, to: from, writes: [], looksAgainInMs: null });
  if (refusal) return refused(refusal);
  const event: Event = { ...argsOf(offer?.args ?? {}, args), type: command };
  const asMeant = refusalAsMeant(reading, event);
  if (asMeant) return refused(asMeant);
  const asking = reading.reconciler.compute(reading.seen, event, reading.now);
  const after = await afterCommand(reading, asking);
  return answerOf(reading, from, writesOf(asking, reading.object).map(writeOf), await passOf(after));
}

export function unknownCommand({ kind }: Reading, command: string): Refusal {
  return { code: "invalid", sentence: `${kind.titlePlural} know no command "${command}".`, reason: null };
}

async function passOf(reading: Reading): Promise<{ plan: Plan; writes: Write[] }> {
  const { reconciler, seen, object, now } = reading;
  const plan = reconciler.compute(seen, observed, now);
  return { plan, writes: writesOf(await changing(plan, reading).catch(rethrown), object).map(writeOf) };
}

function answerOf(
  reading: Reading,
  from: Record<string, string>,
  asking: Write[],
  { plan, writes }: { plan: Plan; writes: Write[] },
): PreviewAnswer {
  const to = Object.fromEntries(Object.keys(from).map((name) => [name, plan.steps[name]?.to ?? from[name] ?? ""]));
  return {
    allowed: true,
    refusal: null,
    from,
    to,
    writes: [...asking, ...writes],
    looksAgainInMs: plan.requeueAfterMs,
  };
}

/** The resource as the command leaves it, and the world read again around it: only the resource itself is made up. */
async function afterCommand(reading: Reading, asking: Plan): Promise<Reading> {
  const patches = asking.effects.flatMap((effect) => (effect.type === "patchSpec" ? [effect.patch] : []));
  const object = patches.reduce<KubernetesObject>(patched, reading.object);
  const world = withSelf(reading.world, object);
  const resource = parsed(reading.kind, object);
  const seen = await reading.reconciler.read(resource, world).catch(rethrown);
  return { ...reading, object, resource, seen, known: reading.reconciler.known(seen), world };
}

function patched(object: KubernetesObject, patch: Record<string, unknown>): KubernetesObject {
  const next = merged(object, patch);
  const generation = sameValue(next.spec, object.spec)
    ? object.metadata.generation
    : (object.metadata.generation ?? 0) + 1;
  return { ...next, metadata: { ...next.metadata, ...(generation === undefined ? {} : { generation }) } };
}

/** JSON merge patch (RFC 7386), into a copy. */
function merged<T extends Record<string, unknown>>(target: T, patch: Record<string, unknown>): T {
  const result = new Map<string, unknown>(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    const present = result.get(key);
    if (value === null) result.delete(key);
    else result.set(key, isRecord(value) ? merged(isRecord(present) ? present : {}, value) : value);
  }
  // A patch changes fields that the type leaves open; those that it names keep their types.
  return Object.fromEntries(result) as T;
}

function withSelf(world: World, self: KubernetesObject): World {
  const swapped = (object: KubernetesObject) => (object.metadata.uid === self.metadata.uid ? self : object);
  return {
    ...world,
    get: async (api, ref) => {
      const object = await world.get(api, ref);
      return object && swapped(object);
    },
    list: async (api, where) => (await world.list(api, where)).map(swapped),
  };
}

function statesOf({ kind, resource }: Reading): Record<string, string> {
  return Object.fromEntries(Object.entries(lifecycleStates(kind, resource)).map(([name, { state }]) => [name, state]));
}

function writeOf({ verb, sentence, object, detail }: PlannedWrite): Write {
  return { verb, sentence, object: object ?? null, ...(detail === undefined ? {} : { detail: redact(detail).value }) };
}
