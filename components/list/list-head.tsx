"use client";
import type { PageQuery } from "@/server/resources/page-query";
import { replaced } from "./list-params";
import type { List } from "./use-list";

const columns: { title: string; sort: PageQuery["sort"] | null }[] = [
  { title: "State", sort: "state" },
  { title: "Name", sort: "name" },
  { title: "Why", sort: "attention" },
  { title: "Since", sort: "since" },
];

type Props = { list: List; isAllOn: boolean; onSelectShown: () => void };

export function ListHead({ list, isAllOn, onSelectShown }: Props) {
  const { params, search, go } = list;
  return (
    <div className="row head" role="row">
      <span role="columnheader">
        <input type="checkbox" aria-label="Select all that are shown" checked={isAllOn} onChange={onSelectShown} />
      </span>
      {columns.map(({ title, sort }) => {
        const isSorted = params.sort === sort;
        const turned = isSorted && params.direction === "asc" ? "desc" : "asc";
        return (
          <span
            key={title}
            role="columnheader"
            aria-sort={isSorted ? (params.direction === "asc" ? "ascending" : "descending") : "none"}
          >
            <button
              aria-pressed={isSorted}
              onClick={() =>
                go(
                  replaced(search, {
                    sort: sort === "attention" ? null : sort,
                    direction: turned === "desc" ? "desc" : null,
                  }),
                )
              }
            >
              {sort === "attention" ? "What and why" : title}{" "}
              {isSorted && sort !== "attention" && (params.direction === "asc" ? "↑" : "↓")}
            </button>
          </span>
        );
      })}
      <span role="columnheader">
        <span className="visually-hidden">Commands</span>
      </span>
    </div>
  );
}
