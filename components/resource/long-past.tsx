"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { DigestAnswer, TransitionAnswer } from "../answers";
import type { ResourceRef } from "../paths";
import { Age } from "../time/age";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";
import { condensed } from "./condensed";
import { folded } from "./folded";
import { ToldRow } from "./told-rows";

type Props = { resource: ResourceRef; at: TransitionAnswer | null; onAt: (id: string | null) => void };
type Stretch = DigestAnswer["stretches"][number];

/** A history that is too long to read: how much happened when, and what; each stretch opens into its transitions. */
export function LongPast(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="long-past" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The whole past at a glance</summary>
      {isOpen && <Stretches {...props} />}
    </details>
  );
}

function Stretches({ resource, at, onAt }: Props) {
  const digest = useQuery({ ...useTRPC().resource.digest.queryOptions(resource), staleTime: 0 });
  return (
    <Panel query={digest}>
      {({ total, stretches }) => {
        const most = Math.max(1, ...stretches.map(({ count }) => count));
        return (
          <>
            <p className="ev">{total.toLocaleString("en")} transitions, those that stayed included.</p>
            {stretches.map((stretch) => (
              <Opened key={stretch.lastId} stretch={stretch} most={most} resource={resource} at={at} onAt={onAt} />
            ))}
          </>
        );
      }}
    </Panel>
  );
}

function Opened({ stretch, most, ...props }: Props & { stretch: Stretch; most: number }) {
  const [isOpen, setOpen] = useState(false);
  const { from, until, count, errors, moves } = stretch;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary title={`${from} to ${until}`}>
        <Age since={until} />
        <span className="amount">
          <i className={errors > 0 ? "bad" : "busy"} style={{ width: `${Math.max(2, (count / most) * 100)}%` }} />
        </span>
        <b>{count.toLocaleString("en")}</b>
        <span className="ev">
          {moves.map((move) => `${move.from} → ${move.to}${move.count > 1 ? ` × ${move.count}` : ""}`).join(", ") ||
            "nothing moved"}
          {errors > 0 && ` · ${errors} failed`}
        </span>
      </summary>
      {isOpen && <Within stretch={stretch} {...props} />}
    </details>
  );
}

const limit = 200;

function Within({ resource, stretch, at, onAt }: Props & { stretch: Stretch }) {
  const cursor = String(BigInt(stretch.lastId) + 1n);
  const page = useQuery(useTRPC().resource.history.queryOptions({ ...resource, cursor, limit }));
  return (
    <Panel query={page}>
      {({ transitions }) => {
        const within = transitions.filter(({ id }) => BigInt(id) >= BigInt(stretch.firstId));
        return (
          <>
            <ol className="tl">
              {folded(condensed(within)).map((told) => (
                <ToldRow key={("all" in told ? told.all[0] : told.transition)?.id} told={told} at={at} onAt={onAt} />
              ))}
            </ol>
            {stretch.count > within.length && <p className="ev">Its newest {within.length}.</p>}
          </>
        );
      }}
    </Panel>
  );
}
