import { commandsAllowed } from "@/machines/commands";
import type { Event } from "@/machines/lifecycle";
import { refusalOf } from "./access";
import type { Offer } from "./state-answers";
import { busyWith } from "./busy";
import type { Asked } from "./context";
import type { Reading } from "./read-resource";
import { idOf } from "./ref";
import type { Refusal } from "./refusal";

/** Every command of a resource for this caller: the one rule behind the button, the API and bulk. */
export async function offersFor(asked: Asked, reading: Reading): Promise<Offer[]> {
  const offers = offersOf(reading);
  const busy = busyWith(asked, idOf(reading.ref));
  return Promise.all(
    offers.map(async (offer) => {
      const refusal = (await permission(asked, reading, offer.command)) ?? offer.refusal ?? (await busy);
      return { ...offer, refusal, allowed: refusal === null, to: refusal ? null : offer.to };
    }),
  );
}

/** What the machines alone say. A command that several lifecycles know is offered once, by the first that allows it. */
export function offersOf({ kind, resource, known }: Pick<Reading, "kind" | "resource" | "known">): Offer[] {
  const offers = new Map<string, Offer>();
  for (const [lifecycle, definition] of Object.entries(kind.lifecycles)) {
    const facts = known[lifecycle];
    // The commands of a composed lifecycle are those of the lifecycles that it is made of.
    if (!facts || definition.composedOf) continue;
    for (const { reason, ...offer } of commandsAllowed(definition.machine, definition.stateOf(resource), facts)) {
      if (offers.get(offer.command)?.allowed) continue;
      if (offers.has(offer.command) && !offer.allowed) continue;
      offers.set(offer.command, {
        ...offer,
        lifecycle,
        refusal: offer.allowed ? null : stateRefusal(offer.title, reason),
      });
    }
  }
  return [...offers.values()];
}

/** What the arguments add can turn a yes into a no. */
export function refusalAsMeant(reading: Reading, event: Event): Refusal | null {
  const known = reading.reconciler.known(reading.seen, event);
  return offersOf({ ...reading, known }).find((offer) => offer.command === event.type)?.refusal ?? null;
}

async function permission(
  { rights, identity }: Asked,
  { ref, kind }: Reading,
  command: string,
): Promise<Refusal | null> {
  const question = { verb: command, api: kind.api, namespace: ref.namespace || undefined, name: ref.name };
  return refusalOf(await rights.may(identity, question), question);
}

function stateRefusal(title: string, reason: string | null): Refusal {
  return { code: "state", sentence: `${title} is not possible: ${reason ?? "the state does not allow it"}.`, reason };
}
