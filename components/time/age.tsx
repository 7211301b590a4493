"use client";
import { duration } from "./duration";
import { useNow } from "./now";

/** How long ago, with the moment itself on hover. An onset that nobody knows is said to be unknown. */
export function Age({ since, parts = 1 }: { since: string | null; parts?: number }) {
  const now = useNow();
  if (since === null) return <span title="when it began is not known">unknown</span>;
  const moment = new Date(since);
  return (
    <time dateTime={since} title={since}>
      {now === 0 ? moment.toISOString().slice(11, 16) : duration(now - moment.getTime(), parts)}
    </time>
  );
}
