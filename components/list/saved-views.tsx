"use client";
import { useState, useSyncExternalStore } from "react";

const key = "orrery-views";
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

/** What is stored may be anything; what is no view is left out. A schema's library would cost every list more than this. */
function viewsIn(stored: string): Record<string, string> {
  try {
    const found: unknown = JSON.parse(stored);
    if (typeof found !== "object" || found === null) return {};
    return Object.fromEntries(
      Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  } catch {
    return {};
  }
}

/** Filters under a name, kept by this browser. */
export function SavedViews({ search, go }: { search: URLSearchParams; go: (search: URLSearchParams) => void }) {
  const stored = useSyncExternalStore(subscribe, read, () => "{}");
  const views = viewsIn(stored);
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
