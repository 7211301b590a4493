"use client";
import { useLayoutEffect } from "react";
import { createStored } from "../ui/stored";

/** What this browser's user chose; null: as the system has it. */
export const chosenTheme = createStored("orrery-theme");

/** A page that is drawn in the browser alone, as one for what does not exist, comes without the script that sets the theme. */
export function ChosenTheme() {
  const theme = chosenTheme.use();
  useLayoutEffect(() => {
    // As stored, not as rendered: the first render is the server's, which does not know it.
    const chosen = chosenTheme.read();
    if (chosen) document.documentElement.dataset["theme"] = chosen;
    else delete document.documentElement.dataset["theme"];
  }, [theme]);
  return null;
}
