"use client";
import { useState, useSyncExternalStore } from "react";
import { z } from "zod/mini";

const key = "orrery-views";
const viewsSchema = z.record(z.string(), z.string());
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function read(): string {
  return localStorage.getItem(key) ?? "{}";
}

function write(views: Record<string, string>) {
  localStorage.setItem(key, JSON.stringify(views));
  for (const listener of listeners) listener();
}

/** Filters under a name, kept by this browser. */
export function SavedViews({ search, go }: { search: URLSearchParams; go: (search: URLSearchParams) => void }) {
  const stored = useSyncExternalStore(subscribe, read, () => "{}");
  const views = viewsSchema.safeParse(JSON.parse(stored)).data ?? {};
  const [name, setName] = useState<string | null>(null);
  const save = () => {
    if (name?.trim()) write({ ...views, [name.trim()]: search.toString() });
    setName(null);
  };
  if (name !== null) {
    return (
      <form
        style={{ display: "flex", gap: 6 }}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <input
          type="text"
          aria-label="Name of the view"
          autoFocus
          value={name}
          onChange={(event) => setName(event.target.value)}
          size={14}
        />
        <button type="submit">Save</button>
      </form>
    );
  }
  return (
    <>
      {Object.keys(views).length > 0 && (
        <select
          aria-label="Saved views"
          value=""
          onChange={(event) => {
            const { value } = event.target;
            if (value.startsWith("-"))
              write(Object.fromEntries(Object.entries(views).filter(([view]) => view !== value.slice(1))));
            else go(new URLSearchParams(views[value.slice(1)]));
          }}
        >
          <option value="">saved views</option>
          {Object.keys(views).map((view) => (
            <option key={view} value={`+${view}`}>
              {view}
            </option>
          ))}
          {Object.keys(views).map((view) => (
            <option key={`-${view}`} value={`-${view}`}>
              forget {view}
            </option>
          ))}
        </select>
      )}
      {search.size > 0 && (
        <button className="quiet" onClick={() => setName("")}>
          Save this view
        </button>
      )}
    </>
  );
}
