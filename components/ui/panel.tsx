"use client";
import type { UseQueryResult } from "@tanstack/react-query";
import { useLiveState } from "../live/live";
import { Age } from "../time/age";

type Props<Data> = {
  query: Pick<UseQueryResult<Data, { message: string }>, "data" | "error" | "refetch" | "dataUpdatedAt">;
  /** Said in place of nothing. */
  empty?: { when: (data: Data) => boolean; say: string };
  bones?: number;
  children: (data: Data) => React.ReactNode;
};

/** What a panel shows of a query: bones while it loads, a sentence when there is nothing, the reason when it fails, and how old it is when it is no longer kept up to date. */
export function Panel<Data>({ query, empty, bones = 3, children }: Props<Data>) {
  const { data, error, refetch, dataUpdatedAt } = query;
  const { mark } = useLiveState();
  if (data === undefined && error) {
    return (
      <div className="panel-note bad" role="alert">
        {error.message}{" "}
        <button className="quiet" onClick={() => void refetch()}>
          Try again
        </button>
      </div>
    );
  }
  if (data === undefined) return <Bones count={bones} />;
  const isStale = error !== null || mark === "stale" || mark === "signed out";
  return (
    <>
      {isStale && (
        <p className="ev stale-note">
          as of <Age since={new Date(dataUpdatedAt).toISOString()} /> ago{error && `: ${error.message}`}
        </p>
      )}
      {empty?.when(data) ? <p className="panel-note">{empty.say}</p> : children(data)}
    </>
  );
}

function Bones({ count }: { count: number }) {
  return (
    <div aria-busy aria-label="Loading" role="status">
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className="bone" style={{ width: `${92 - ((index * 17) % 40)}%` }} />
      ))}
    </div>
  );
}
