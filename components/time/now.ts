"use client";
import { createContext, use, useSyncExternalStore } from "react";

/** When the page was made: until the first tick, the browser tells the same ages as the words that it was sent. 0: not known. */
export const MadeAt = createContext(0);

let now = 0;
let hasTicked = false;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, ticking once a second for all who ask. */
export function useNow(): number {
  const madeAt = use(MadeAt);
  return useSyncExternalStore(
    subscribe,
    () => now || (hasTicked || madeAt === 0 ? read() : madeAt),
    () => madeAt,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    now = 0;
  };
}

function tick(): void {
  hasTicked = true;
  read();
  for (const listener of listeners) listener();
}

function read(): number {
  now = Date.now();
  return now;
}
