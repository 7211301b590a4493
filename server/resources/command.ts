import { randomUUID } from "node:crypto";
import { contentHash } from "@/machines/content-hash";
import type { Event } from "@/machines/lifecycle";
import { KubernetesError } from "@/server/kubernetes/errors";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { applyCommand } from "@/server/reconcile/apply";
import { refusalOf } from "./access";
import type { CommandAnswer } from "./command-answers";
import { beginCommand, finishCommand, type Begun } from "./audit";
import { busyWith } from "./busy";
import { argsOf } from "./command-args";
import { kindOf, type Asked } from "./context";
import { firstOf, lifecycleStates } from "./lifecycle-states";
import { offersOf, refusalAsMeant } from "./offers";
import { unknownCommand } from "./preview";
import { nameOf, objectOf, readResource, type Reading } from "./read-resource";
import { idOf, type Ref } from "./ref";
import { Refused, type Refusal } from "./refusal";

export type CommandInput = Ref & {
  command: string;
  args: Record<string, unknown>;
  idempotencyKey: string;
  /** What the caller saw; a stale click is told what changed. */
  seenState?: string | undefined;
  bulkId?: string | undefined;
};

/** Rights first, then the machine on the freshest object, then the write. Every answer is a row in the audit log. */
export async function command(asked: Asked, input: CommandInput): Promise<CommandAnswer> {
  kindOf(asked, input.kind);
  const begun = await beginCommand(asked, input, randomUUID());
  if (!begun.fresh) return begun.answer;
  const attempt = await carriedOut(asked, input, begun);
  await finishCommand(asked, begun, attempt);
  tellCluster(asked, input, attempt);
  return attempt.answer;
}

/** What was done, and what was known when it was decided. */
export type Attempt = {
  answer: CommandAnswer;
  object: KubernetesObject | null;
  state: string | null;
  machine: string | null;
};

/** Somebody else may write between our read and our write; then everything is asked again. */
const TRIES_MAX = 4;

async function carriedOut(asked: Asked, input: CommandInput, begun: Begun): Promise<Attempt> {
  const known: Omit<Attempt, "answer"> = { object: null, state: null, machine: null };
  const refused = (refusal: Refusal): Attempt => ({
    ...known,
    answer: { accepted: false, commandId: begun.id, refusal, state: known.state, repeated: false },
  });
  try {
    const refusal = begun.refusal ?? (await permissionFor(asked, input));
    if (refusal) {
      // Only to tell the object's own events of it: whoever asked is told nothing of what is read here.
      known.object = await objectOf(asked, kindOf(asked, input.kind), input).catch(() => null);
      return refused(refusal);
    }
    for (let tries = 1; ; tries++) {
      const reading = await readResource(asked, input);
      known.object = reading.object;
      known.state = firstOf(lifecycleStates(reading.kind, reading.resource))?.state ?? null;
      const decision = await decide(asked, input, reading, begun);
      if ("code" in decision) return refused(decision);
      known.machine = decision.machine;
      try {
        return { ...known, answer: await written(asked, input, reading, { ...decision, id: begun.id }) };
      } catch (error) {
        const isConflict = error instanceof KubernetesError && error.kind === "conflict";
        if (!isConflict || tries >= TRIES_MAX) return refused(writeRefusal(error, input));
      }
    }
  } catch (error) {
    if (error instanceof Refused) return refused(error.refusal);
    await finishCommand(asked, begun, refused(faultOf(input)));
    throw error;
  }
}

type Decision = { event: Event; to: string | null; machine: string };

async function decide(asked: Asked, input: CommandInput, reading: Reading, begun: Begun): Promise<Decision | Refusal> {
  const states = lifecycleStates(reading.kind, reading.resource);
  const offer = offersOf(reading).find((one) => one.command === input.command);
  if (!offer) return unknownCommand(reading, input.command);
  const seen = input.seenState;
  if (seen !== undefined && !Object.values(states).some(({ state }) => state === seen)) {
    const state = states[offer.lifecycle]?.state ?? "";
    const sentence = `${nameOf(input)} is ${state} by now; you saw it ${seen}.`;
    return { code: "conflict", sentence, reason: state };
  }
  if (offer.refusal) return offer.refusal;
  const busy = await busyWith(asked, idOf(input), begun.id);
  if (busy) return busy;
  const event = { ...argsOf(offer.args, input.args), type: input.command };
  const asMeant = refusalAsMeant(reading, event);
  if (asMeant) return asMeant;
  const machine = reading.kind.lifecycles[offer.lifecycle]?.machine;
  return { event, to: offer.to, machine: machine ? contentHash(machine) : "" };
}

async function written(
  asked: Asked,
  input: CommandInput,
  reading: Reading,
  { event, to, id }: Decision & { id: string },
) {
  const plan = reading.reconciler.compute(reading.seen, event, reading.now);
  const object = await applyCommand({ client: asked.client, kind: reading.kind, object: reading.object, plan });
  const patches = plan.effects.flatMap((effect) => (effect.type === "patchSpec" ? [effect.patch] : []));
  return {
    accepted: true as const,
    commandId: id,
    sentence: `${input.command} was asked of ${nameOf(input)}.`,
    changed: Object.assign({}, ...patches) as Record<string, unknown>,
    resourceVersion: object.metadata.resourceVersion ?? "",
    to,
    repeated: false,
  };
}

async function permissionFor({ rights, identity, kinds }: Asked, input: CommandInput): Promise<Refusal | null> {
  const { api } = kindOf({ kinds }, input.kind);
  const question = { verb: input.command, api, namespace: input.namespace || undefined, name: input.name };
  return refusalOf(await rights.may(identity, question), question);
}

/** What the API server says to the write; a webhook's or a schema's no is the caller's to mend. */
function writeRefusal(error: unknown, input: CommandInput): Refusal {
  if (!(error instanceof KubernetesError)) throw error;
  const name = nameOf(input);
  if (error.kind === "conflict") {
    return {
      code: "conflict",
      sentence: `${name} is being changed by somebody else all the time; try again.`,
      reason: error.reason,
    };
  }
  if (error.kind === "notFound") return { code: "not found", sentence: `${name} is gone.`, reason: error.reason };
  if (error.kind === "invalid" || error.kind === "forbidden" || error.kind === "badRequest") {
    return { code: "invalid", sentence: `The cluster refused the change: ${error.message}`, reason: error.reason };
  }
  const sentence =
    error.outcome === "unknown"
      ? `The cluster did not answer; ${input.command} may or may not have been asked of ${name}.`
      : `The cluster could not be asked for ${input.command}; nothing was changed.`;
  return { code: "check failed", sentence, reason: error.reason };
}

function faultOf(input: CommandInput): Refusal {
  return { code: "check failed", sentence: `${input.command} failed for a fault of Orrery's own.`, reason: "Fault" };
}

/** Best effort: the audit log is the record, the event is for those who look with kubectl. */
function tellCluster({ record, identity }: Asked, input: CommandInput, { answer, object }: Attempt): void {
  if (!object) return;
  record(object, {
    severity: "Normal",
    reason: answer.accepted ? "CommandAccepted" : "CommandRefused",
    message: answer.accepted
      ? `${identity.name} asked for ${input.command}`
      : `${identity.name} asked for ${input.command}: ${answer.refusal.sentence}`,
  });
}
