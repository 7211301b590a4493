"use client";
import { useQuery } from "@tanstack/react-query";
import { resourcePath } from "../paths";
import { Age } from "../time/age";
import { duration } from "../time/duration";
import { ToneIcon } from "../tone/tone-icon";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";
import { Link } from "../ui/link";
import { latelyQuery } from "./overview-queries";

/** What moved last, and why; each leads to the page as it was right then. */
export function Lately() {
  const lately = useQuery({ ...useTRPC().fleet.lately.queryOptions(latelyQuery), meta: { counts: true } });
  return (
    <>
      <h2 className="section">Lately</h2>
      <section className="card" aria-label="Lately">
        <Panel query={lately} empty={{ when: (moves) => moves.length === 0, say: "Nothing has happened yet." }}>
          {(moves) =>
            moves.map(({ id, at, kindTitle, from, to, tone, guard, actor, dwellMs, lifecycle, ...ref }) => (
              <Link key={id} className="lately" href={`${resourcePath(ref)}?at=${id}`}>
                <span className="ev">
                  <Age since={at} />
                </span>
                <span>
                  {kindTitle} <b>{ref.name}</b>
                </span>
                <span title={lifecycle}>
                  {from} →{" "}
                  <span className={`toned ${tone}`}>
                    <ToneIcon tone={tone} /> {to}
                  </span>
                </span>
                <span className="ev">
                  {[guard, actor && `by ${actor}`, dwellMs !== null && `after ${duration(dwellMs)}`]
                    .filter(Boolean)
                    .join(" · ")}
                </span>
              </Link>
            ))
          }
        </Panel>
      </section>
    </>
  );
}
