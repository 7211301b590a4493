import type { TransitionAnswer } from "../answers";
import { Age } from "../time/age";

export function PastNote({ transition, onNow }: { transition: TransitionAnswer | null; onNow: () => void }) {
  return (
    <div className="past-note" role="status">
      <span>
        You are looking at the past
        {transition && (
          <>
            : <b>{transition.from}</b> → <b>{transition.to}</b>, <Age since={transition.at} parts={2} /> ago (
            {transition.at})
          </>
        )}
        . What was not written down then is not shown.
      </span>
      <span className="space" />
      <button onClick={onNow}>Back to now</button>
    </div>
  );
}
