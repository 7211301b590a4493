import type { AsOfAnswer, TransitionAnswer } from "../answers";
import { Age } from "../time/age";
import { duration } from "../time/duration";
import { StatusPill } from "../tone/status-pill";

type Props = {
  name: string;
  transition: TransitionAnswer;
  lifecycles: AsOfAnswer["lifecycles"];
  copy: React.ReactNode;
};

/** What a person would have said of it then, and what had just happened. */
export function SayThen({ name, transition, lifecycles, copy }: Props) {
  const { from, to, guard, actor, writes, dwellMs, error, flipped, lifecycle, event } = transition;
  const first = lifecycles[0];
  const moved = lifecycles.find((one) => one.lifecycle === lifecycle);
  const seen = flipped.flatMap(({ evidence }) => evidence?.sentence ?? []);
  return (
    <>
      <h1>
        {name}
        {first && <StatusPill tone={first.tone}>{first.state}</StatusPill>}
        <small className="ev">
          <Age since={transition.at} parts={2} /> ago
        </small>
        <span className="space" />
        {copy}
      </h1>
      <p className="say">
        <b>{moved?.summary ?? to}</b>: {event !== "observed" && <b>{event} </b>}
        {from === to ? `it stayed ${to}` : `${from} → ${to}`}
        {dwellMs !== null && from !== to && ` after ${duration(dwellMs)} in ${from}`}
        {actor && `, asked for by ${actor}`}
        {writes.length > 0 && `, with ${writes.length} ${writes.length === 1 ? "write" : "writes"}`}.
        {guard && (
          <>
            <br />
            <span className="cause">
              Because {guard}
              {seen.length > 0 && ` (${seen.join("; ")})`}.
            </span>
          </>
        )}
        {error && (
          <>
            <br />
            <span className="cause bad">It failed: {error}</span>
          </>
        )}
      </p>
    </>
  );
}
