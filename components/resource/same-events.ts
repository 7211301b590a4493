import type { EventAnswer } from "../answers";

/** The same warning of the same object, however many events the cluster made of it, is one: counted together. */
export function sameEvents(events: readonly EventAnswer[]): EventAnswer[] {
  const found = new Map<string, EventAnswer>();
  for (const event of events) {
    const { kind, namespace, name } = event.object;
    const key = JSON.stringify([event.reason, event.message, kind, namespace, name]);
    const before = found.get(key);
    found.set(key, before ? together(before, event) : event);
  }
  return [...found.values()];
}

function together(a: EventAnswer, b: EventAnswer): EventAnswer {
  return {
    ...a,
    count: a.count + b.count,
    firstSeen: a.firstSeen < b.firstSeen ? a.firstSeen : b.firstSeen,
    lastSeen: a.lastSeen > b.lastSeen ? a.lastSeen : b.lastSeen,
  };
}
