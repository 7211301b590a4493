"use client";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useDeferredValue, useState } from "react";
import type { Tone } from "@/machines/lifecycle";
import { kindPath, machinePath, resourcePath } from "../paths";
import { ToneIcon } from "../tone/tone-icon";
import { useTRPC } from "../trpc";
import { Sheet } from "../ui/sheet";

type Place = { href: string; title: string; note: string; tone?: Tone };

const pages: Place[] = [
  { href: "/", title: "Overview", note: "page" },
  { href: "/all", title: "All resources", note: "page" },
  { href: "/all?tone=bad&tone=warn", title: "What needs attention", note: "list" },
  { href: "/machines", title: "Machines", note: "page" },
  { href: "/audit", title: "Audit", note: "page" },
  { href: "/about", title: "About and settings", note: "page" },
];

/** Go anywhere by typing a part of its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const places = usePlaces(useDeferredValue(text.trim()));
  const router = useRouter();
  const go = (place: Place | undefined) => {
    if (!place) return;
    onClose();
    router.push(place.href);
  };
  const moves: Record<string, () => void> = {
    ArrowDown: () => setAt((index) => Math.min(places.length - 1, index + 1)),
    ArrowUp: () => setAt((index) => Math.max(0, index - 1)),
    Enter: () => go(places[at]),
  };
  return (
    <Sheet label="Search" className="palette" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="Search resources and pages"
        aria-expanded
        aria-controls="palette-places"
        aria-activedescendant={places[at] ? `place-${at}` : undefined}
        placeholder="A resource, a kind, a machine, a page …"
        value={text}
        autoFocus
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const move = moves[event.key];
          if (!move) return;
          event.preventDefault();
          move();
        }}
      />
      <ul id="palette-places" role="listbox" aria-label="Found">
        {places.map((place, index) => (
          <li
            key={place.href}
            id={`place-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => go(place)}
          >
            {place.tone && (
              <span className={place.tone} style={{ color: "var(--c)" }}>
                <ToneIcon tone={place.tone} />
              </span>
            )}
            {place.title} <small>{place.note}</small>
          </li>
        ))}
      </ul>
      {places.length === 0 && (
        <p className="panel-note" style={{ padding: "8px 18px 16px" }}>
          Nothing has that in its name.
        </p>
      )}
    </Sheet>
  );
}

function usePlaces(text: string): Place[] {
  const trpc = useTRPC();
  const { data: machines = [] } = useQuery(trpc.machines.list.queryOptions());
  const found = useQuery({ ...trpc.fleet.page.queryOptions({ text, limit: 12 }), enabled: text.length > 0 });
  const kinds = machines.map((machine) => ({
    href: kindPath(machine.kind),
    title: machine.kindTitlePlural,
    note: machine.familyTitle,
  }));
  const charts = machines.map(({ kind, lifecycle, kindTitle }) => ({
    href: machinePath(kind, lifecycle),
    title: `${kindTitle}: ${lifecycle}`,
    note: "machine",
  }));
  const rows = (found.data?.rows ?? []).map((row) => ({
    href: resourcePath(row),
    title: row.name,
    note: `${row.namespace} · ${row.state}`,
    tone: row.tone,
  }));
  const named = [...pages, ...kinds, ...charts].filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()));
  const unique = new Map([...(text ? rows : []), ...named].map((place) => [place.href, place]));
  return [...unique.values()].slice(0, 24);
}
