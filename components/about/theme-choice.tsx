"use client";
import { chosenTheme } from "../shell/chosen-theme";

const choices = [
  ["system", "as the system"],
  ["light", "light"],
  ["dark", "dark"],
] as const;

export function ThemeChoice() {
  const chosen = chosenTheme.use() ?? "system";
  return (
    <div className="chips" role="radiogroup" aria-label="Theme">
      {choices.map(([choice, word]) => (
        <button
          key={choice}
          className="chip"
          role="radio"
          aria-checked={chosen === choice}
          onClick={() => chosenTheme.write(choice === "system" ? null : choice)}
        >
          {word}
        </button>
      ))}
    </div>
  );
}
