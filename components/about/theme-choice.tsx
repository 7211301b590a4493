"use client";
import { useSyncExternalStore } from "react";

const key = "orrery-theme";
const choices = [
  ["system", "as the system"],
  ["light", "light"],
  ["dark", "dark"],
] as const;
const listeners = new Set<() => void>();

export function ThemeChoice() {
  const chosen = useSyncExternalStore(
    subscribe,
    () => localStorage.getItem(key) ?? "system",
    () => "system",
  );
  return (
    <div className="chips" role="radiogroup" aria-label="Theme">
      {choices.map(([choice, word]) => (
        <button
          key={choice}
          className="chip"
          role="radio"
          aria-checked={chosen === choice}
          onClick={() => choose(choice)}
        >
          {word}
        </button>
      ))}
    </div>
  );
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function choose(choice: string) {
  if (choice === "system") localStorage.removeItem(key);
  else localStorage.setItem(key, choice);
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset["theme"] = choice === "system" ? (isDark ? "dark" : "light") : choice;
  for (const listener of listeners) listener();
}
