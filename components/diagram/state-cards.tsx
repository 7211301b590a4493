import type { DrawnMachine } from "./drawn-machine";

const looksOpen = ["will", "may", "plain"];

/** The machine for a narrow screen: a card for each state, with the ways out of it. */
export function StateCards({
  machine,
  onState,
}: {
  machine: DrawnMachine;
  onState?: ((state: string) => void) | undefined;
}) {
  return (
    <div className="state-cards">
      {machine.states.map(({ id, tone, look, summary, sub, count }) => (
        <button
          key={id}
          className={`state-card ${tone}${look === "now" || look === "populated" ? " now" : ""}`}
          aria-current={look === "now" ? "true" : undefined}
          onClick={() => onState?.(id)}
        >
          <b>{id}</b> {count ? <b className="count">{count.toLocaleString("en")}</b> : null}
          <div className="ev">{[look === "now" ? "now" : "", summary, sub].filter(Boolean).join(" · ")}</div>
          <ul>
            {machine.arrows
              .filter(({ from }) => from === id)
              .map((arrow) => (
                <li key={arrow.id}>
                  {looksOpen.includes(arrow.look) ? "→" : "⇢"} {arrow.to}
                </li>
              ))}
          </ul>
        </button>
      ))}
    </div>
  );
}
