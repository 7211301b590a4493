"use client";
import { useSyncExternalStore } from "react";

/** A text that this browser keeps for its user; the server, and who has chosen nothing, sees null. */
export function createStored(key: string) {
  const listeners = new Set<() => void>();
  const read = () => localStorage.getItem(key);
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    read,
    write(text: string | null) {
      if (text === null) localStorage.removeItem(key);
      else localStorage.setItem(key, text);
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, read, () => null),
  };
}

/** What is stored may be anything; what is no text is left out. A schema's library would cost every page more than this. */
export function textsIn(stored: string | null): Record<string, string> {
  try {
    const found: unknown = JSON.parse(stored ?? "{}");
    if (typeof found !== "object" || found === null) return {};
    return Object.fromEntries(
      Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  } catch {
    return {};
  }
}
