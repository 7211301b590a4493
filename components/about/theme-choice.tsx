"use client";
import { createStored } from "../ui/stored";

const stored = createStored("orrery-theme");
const choices = [
  ["system", "as the system"],
  ["light", "light"],
  ["dark", "dark"],
] as const;

export function ThemeChoice() {
  const chosen = stored.use() ?? "system";
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

function choose(choice: string) {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset["theme"] = choice === "system" ? (isDark ? "dark" : "light") : choice;
  stored.write(choice === "system" ? null : choice);
}
