import type { PreviewAnswer } from "../answers";

/** The next state and the writes, in order, that would be made. */
export function Preview({ preview }: { preview: PreviewAnswer }) {
  const { allowed, refusal, from, to, writes } = preview;
  if (!allowed) return <p className="panel-note no">{refusal?.sentence}</p>;
  const moves = Object.entries(to).filter(([lifecycle, state]) => from[lifecycle] !== state);
  if (moves.length === 0 && writes.length === 0)
    return <p className="panel-note">It would change nothing: what it asks for is so already.</p>;
  return (
    <div>
      <p>
        {moves.length > 0 ? (
          moves.map(([lifecycle, state]) => (
            <span key={lifecycle}>
              {from[lifecycle]} → <b>{state}</b>{" "}
            </span>
          ))
        ) : (
          <>What is wanted changes; the state moves with the next look at it.</>
        )}
      </p>
      <h3 style={{ margin: "10px 0 6px" }}>
        What will be written <small>nothing is written yet</small>
      </h3>
      <ol className="writes">
        {writes.map(({ verb, sentence }, index) => (
          <li key={`${index} ${sentence}`}>
            <span className="verb">{verb}</span>
            <span>{sentence}</span>
          </li>
        ))}
        {writes.length === 0 && <li>Nothing.</li>}
      </ol>
    </div>
  );
}
