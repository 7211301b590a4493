import type { DrawnArrow, DrawnMachine, DrawnState } from "./drawn-machine";

const looksOpen = ["will", "may", "plain"];

type Props = { machine: DrawnMachine; onState?: ((state: string) => void) | undefined };

/** The machine for a narrow screen: a card for each state that matters now, and the others when asked for. */
export function StateCards({ machine, onState }: Props) {
  const near = machine.states.filter(({ look }) => look !== "plain");
  const others = machine.states.filter(({ look }) => look === "plain");
  const cards = (states: DrawnState[]) =>
    states.map((state) => (
      <StateCard
        key={state.id}
        state={state}
        ways={machine.arrows.filter(({ from }) => from === state.id)}
        onState={onState}
      />
    ));
  if (near.length === 0) return <div className="state-cards">{cards(others)}</div>;
  return (
    <div className="state-cards">
      {cards(near)}
      {others.length > 0 && (
        <details>
          <summary className="ev">{others.length === 1 ? "One more state" : `${others.length} more states`}</summary>
          <div className="stack">{cards(others)}</div>
        </details>
      )}
    </div>
  );
}

type CardProps = { state: DrawnState; ways: DrawnArrow[]; onState: Props["onState"] };

function StateCard({ state: { id, tone, look, summary, sub, count }, ways, onState }: CardProps) {
  const [open, shut] = [true, false].map((wanted) => ways.filter((way) => looksOpen.includes(way.look) === wanted));
  return (
    <button
      className={`state-card ${tone}${look === "now" || look === "populated" ? " now" : ""}`}
      aria-current={look === "now" ? "true" : undefined}
      onClick={() => onState?.(id)}
    >
      <b>{id}</b> {count ? <b className="count">{count.toLocaleString("en")}</b> : null}
      <div className="ev">{[look === "now" ? "now" : "", summary, sub].filter(Boolean).join(" · ")}</div>
      <Ways mark="→" ways={open ?? []} />
      <Ways mark="⇢" ways={shut ?? []} />
    </button>
  );
}

function Ways({ mark, ways }: { mark: string; ways: DrawnArrow[] }) {
  if (ways.length === 0) return null;
  return (
    <div className="ev">
      {mark} {ways.map(({ to }) => to).join(", ")}
    </div>
  );
}
