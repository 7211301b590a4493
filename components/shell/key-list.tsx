"use client";
import { Fragment } from "react";
import { useKeyMap } from "./key-map";

/** Those that are what every program has them for. */
const fixed = [
  ["⌘K", "search and go anywhere"],
  ["enter", "open the row"],
  ["← → ↑ ↓", "along the transitions of a diagram"],
] as const;

/** What the keys do, as this browser's user has them. */
export function KeyList() {
  const { map } = useKeyMap();
  const go = map.find(({ name }) => name === "go")?.key ?? "";
  const rows = map
    .filter(({ name }) => name !== "go")
    .map(({ key, does, follows }) => [follows ? `${go} ${key}` : key, does] as const);
  return (
    <dl className="keys">
      {[...rows, ...fixed].map(([key, does]) => (
        <Fragment key={does}>
          <dt>
            <span className="key">{key}</span>
          </dt>
          <dd>{does}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
