"use client";
import { useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { Sheet } from "../ui/sheet";

const chords: Record<string, string> = { o: "/", a: "/all", m: "/machines", l: "/audit", s: "/about" };

export const keys: [keys: string, does: string][] = [
  ["⌘K", "search and go anywhere"],
  ["/", "filter the list"],
  ["j  k", "next and previous row"],
  ["x", "select the row; with shift, all up to it"],
  ["enter", "open the row"],
  ["g o", "overview"],
  ["g a", "all resources"],
  ["g m", "machines"],
  ["g l", "audit log"],
  ["g s", "about and settings"],
  ["← → ↑ ↓", "along the transitions of a diagram"],
  ["f  c", "fit the diagram; centre the state it is in"],
  ["?", "these keys"],
];

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
      const goes = Date.now() - chord.current < 1_200 ? chords[event.key] : undefined;
      chord.current = event.key === "g" ? Date.now() : 0;
      if (goes) router.push(goes);
      else if (event.key === "?") onHelp();
      else if (event.key === "/") {
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

export function KeyList() {
  return (
    <dl className="keys">
      {keys.map(([key, does]) => (
        <div key={key} style={{ display: "contents" }}>
          <dt>
            <span className="key">{key}</span>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Keys belong to what is typed into, and to an open dialog. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target instanceof HTMLElement ? event.target : null;
  const types = target?.matches("input:not([type=checkbox]), textarea, select, [contenteditable]") ?? false;
  return types || event.metaKey || event.ctrlKey || event.altKey || document.querySelector("dialog[open]") !== null;
}
