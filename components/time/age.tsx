"use client";
import { duration } from "./duration";
import { useNow } from "./now";

/** How long ago, with the moment itself on hover, and in what is copied of it. An onset that nobody knows is said to be unknown. */
export function Age({ since, parts = 1 }: { since: string | null; parts?: number }) {
  const now = useNow();
  if (since === null) return <span title="when it began is not known">unknown</span>;
  const moment = new Date(since);
  return (
    <time dateTime={since} title={since} onCopy={copyMoment}>
      {now === 0 ? moment.toISOString().slice(11, 16) : duration(now - moment.getTime(), parts)}
    </time>
  );
}

/** Of what is selected in it alone: "4 m" says nothing to whom it is pasted for. */
function copyMoment(event: React.ClipboardEvent<HTMLTimeElement>): void {
  const selected = getSelection();
  const { currentTarget } = event;
  // What begins here and goes on elsewhere is copied as it stands.
  if (![selected?.anchorNode, selected?.focusNode].every((node) => node && currentTarget.contains(node))) return;
  event.clipboardData.setData("text/plain", currentTarget.dateTime);
  event.preventDefault();
}
