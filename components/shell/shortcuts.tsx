"use client";
import { useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { Sheet } from "../ui/sheet";
import { KeyList } from "./key-list";
import { deedOf, type DeedName } from "./key-map";

const places: Partial<Record<DeedName, string>> = {
  overview: "/",
  all: "/all",
  machines: "/machines",
  audit: "/audit",
  settings: "/about",
};

type Props = { isHelpOpen: boolean; onPalette: () => void; onHelp: () => void; onClose: () => void };

export function Shortcuts({ isHelpOpen, onPalette, onHelp, onClose }: Props) {
  const router = useRouter();
  const chord = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        onPalette();
        return;
      }
      if (isTyping(event)) return;
      const deed = deedOf(event);
      const follows = Date.now() - chord.current < 1_200 ? deedOf(event, { follows: true }) : undefined;
      const goes = follows && places[follows];
      chord.current = !goes && deed === "go" ? Date.now() : 0;
      if (goes) router.push(goes);
      else if (deed === "help") onHelp();
      else if (deed === "filter") {
        const box = document.querySelector<HTMLInputElement>("input[type=search]");
        if (!box) return;
        event.preventDefault();
        box.focus();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [router, onPalette, onHelp]);
  if (!isHelpOpen) return null;
  return (
    <Sheet label="Keys" onClose={onClose}>
      <div className="sheet">
        <h2>Keys</h2>
        <KeyList />
        <footer>
          <button onClick={onClose}>Close</button>
        </footer>
      </div>
    </Sheet>
  );
}

/** Keys belong to what is typed into, and to an open dialog. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target instanceof HTMLElement ? event.target : null;
  const types = target?.matches("input:not([type=checkbox]), textarea, select, [contenteditable]") ?? false;
  return types || event.metaKey || event.ctrlKey || event.altKey || document.querySelector("dialog[open]") !== null;
}
