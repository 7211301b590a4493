"use client";
import { useState } from "react";
import { createStored, textsIn } from "../ui/stored";

const stored = createStored("orrery-views");

function write(views: Record<string, string>) {
  stored.write(JSON.stringify(views));
}

/** Filters under a name, kept by this browser. */
export function SavedViews({ search, go }: { search: URLSearchParams; go: (search: URLSearchParams) => void }) {
  const views = textsIn(stored.use());
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
