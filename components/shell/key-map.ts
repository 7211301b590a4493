"use client";
import { createStored, textsIn } from "../ui/stored";

/** What a key does; `follows`: only right after the key for going somewhere. */
type Deed = { key: string; does: string; follows?: boolean };

const deeds = {
  filter: { key: "/", does: "filter the list" },
  next: { key: "j", does: "next row" },
  previous: { key: "k", does: "previous row" },
  select: { key: "x", does: "select the row; with shift, all up to it" },
  go: { key: "g", does: "go, by the key that follows, to" },
  overview: { key: "o", does: "the overview", follows: true },
  all: { key: "a", does: "all resources", follows: true },
  machines: { key: "m", does: "machines", follows: true },
  audit: { key: "l", does: "the audit log", follows: true },
  settings: { key: "s", does: "about and settings", follows: true },
  fit: { key: "f", does: "fit the diagram" },
  centre: { key: "c", does: "centre the state it is in" },
  help: { key: "?", does: "these keys" },
} satisfies Record<string, Deed>;

export type DeedName = keyof typeof deeds;
type Chosen = Partial<Record<DeedName, string>>;

const stored = createStored("orrery-keys");
// Their names are those of the table.
const names = Object.keys(deeds) as DeedName[];

/** Every deed with the key it is done by: the user's own, or else the first one. */
function mapOf(chosen: Chosen) {
  return names.map((name) => {
    const deed: Deed = deeds[name];
    return { name, key: chosen[name] ?? deed.key, does: deed.does, follows: deed.follows ?? false };
  });
}

export function useKeyMap() {
  const chosen: Chosen = textsIn(stored.use());
  return { map: mapOf(chosen), isChanged: Object.keys(chosen).length > 0 };
}

/** What this key is for. Shift is a key's own affair: it makes `?`, and lets a selection grow. */
export function deedOf(event: KeyboardEvent, { follows = false } = {}): DeedName | undefined {
  const pressed = event.shiftKey ? [event.key, event.key.toLowerCase()] : [event.key];
  return mapOf(textsIn(stored.read())).find((deed) => deed.follows === follows && pressed.includes(deed.key))?.name;
}

/** Why the key cannot be this deed's; null: it is from now on. */
export function chooseKey(name: DeedName, key: string): string | null {
  const chosen: Chosen = textsIn(stored.read());
  const map = mapOf(chosen);
  const own = map.find((deed) => deed.name === name);
  if (key.length !== 1 || key.trim() === "")
    return `${key.trim() || "Space"} cannot be chosen: one letter, digit or sign can.`;
  const other = map.find((deed) => deed.key === key && deed.follows === own?.follows && deed.name !== name);
  if (other) return `${key} is for “${other.does}” already.`;
  stored.write(JSON.stringify({ ...chosen, [name]: key }));
  return null;
}

export function forgetKeys(): void {
  stored.write(null);
}
