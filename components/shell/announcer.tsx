"use client";
import { useEffect, useState } from "react";

const listeners = new Set<(said: string) => void>();

/** Says something to those who hear the page; politely, and at most once in five seconds. */
export function announce(said: string): void {
  for (const listener of listeners) listener(said);
}

const pauseMs = 5_000;

export function Announcer() {
  const [said, setSaid] = useState("");
  useEffect(() => {
    let last = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listener = (next: string) => {
      clearTimeout(timer);
      timer = setTimeout(
        () => {
          last = Date.now();
          setSaid(next);
        },
        Math.max(0, last + pauseMs - Date.now()),
      );
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      clearTimeout(timer);
    };
  }, []);
  return (
    <div className="visually-hidden" aria-live="polite" role="status">
      {said}
    </div>
  );
}
