import type { TransitionAnswer } from "../answers";
import { Age } from "../time/age";

export function PastNote({ transition, onNow }: { transition: TransitionAnswer; onNow: () => void }) {
  return (
    <div className="past-note" role="status">
      <span>
        You are looking at <b>{transition.from}</b> → <b>{transition.to}</b>, <Age since={transition.at} parts={2} />{" "}
        ago ({transition.at}).
      </span>
      <span className="space" />
      <button onClick={onNow}>Back to now</button>
    </div>
  );
}
