"use client";
import { useState } from "react";
import type { Tone } from "@/machines/lifecycle";
import { replaced, toggled } from "./list-params";
import { SavedViews } from "./saved-views";
import type { List } from "./use-list";

const tones: [Tone, string][] = [
  ["bad", "failed"],
  ["warn", "trouble"],
  ["busy", "on its way"],
  ["good", "fine"],
  ["idle", "at rest"],
];

export function ListFilters({ list, kind }: { list: List; kind: string | null }) {
  const { params, search, counts, go } = list;
  const { filter } = params;
  const [text, setText] = useState(filter.text ?? "");
  const states = (counts?.states ?? []).filter(
    (state) => kind !== null && state.kind === kind && state.lifecycle === (counts?.states[0]?.lifecycle ?? ""),
  );
  const namespaces = Object.entries(counts?.namespaces ?? {}).sort(([a], [b]) => a.localeCompare(b, "en"));
  return (
    <div className="filters" role="search">
      <div className="line">
        <input
          type="search"
          aria-label="Filter by name, namespace, state or reason"
          placeholder="Filter by name, namespace, state or reason    /"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            go(replaced(search, { q: event.target.value || null }));
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape" || event.key === "Enter") event.currentTarget.blur();
          }}
        />
        <select
          aria-label="Namespace"
          value={filter.namespaces?.[0] ?? ""}
          onChange={(event) => go(replaced(search, { namespace: event.target.value || null }))}
        >
          <option value="">all namespaces</option>
          {namespaces.map(([namespace, count]) => (
            <option key={namespace} value={namespace}>
              {namespace} ({count})
            </option>
          ))}
        </select>
        <SavedViews search={search} go={go} />
        {search.size > 0 && (
          <button
            className="quiet"
            onClick={() => {
              setText("");
              go(new URLSearchParams());
            }}
          >
            Clear
          </button>
        )}
      </div>
      <div className="chips">
        {tones.map(([tone, word]) => (
          <button
            key={tone}
            className={`chip ${tone}`}
            aria-pressed={filter.tones?.includes(tone) ?? false}
            onClick={() => go(toggled(search, "tone", tone))}
          >
            {word} <b>{(counts?.tones[tone] ?? 0).toLocaleString("en")}</b>
          </button>
        ))}
        {states.length > 0 && <span className="ev">│</span>}
        {states.map(({ state, tone, count }) => (
          <button
            key={state}
            className={`chip ${tone}`}
            aria-pressed={filter.states?.includes(state) ?? false}
            onClick={() => go(toggled(search, "state", state))}
          >
            {state} <b>{count.toLocaleString("en")}</b>
          </button>
        ))}
      </div>
    </div>
  );
}
