"use client";
import { useSyncExternalStore } from "react";

let now = 0;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, ticking once a second for all who ask; 0 while the page is made on the server. */
export function useNow(): number {
  return useSyncExternalStore(
    subscribe,
    () => now || tick(),
    () => 0,
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

function tick(): number {
  now = Date.now();
  for (const listener of listeners) listener();
  return now;
}
