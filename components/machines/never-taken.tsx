import type { MachineAnswer } from "../answers";
import { Card } from "../ui/card";

type Props = { definition: MachineAnswer["definition"]; taken: ReadonlySet<string> };

/** The ways that nothing has gone here yet, state by state: rare ones, or rules that nobody needs. */
export function NeverTaken({ definition: { diagram }, taken }: Props) {
  const moves = diagram.edges.filter(({ self }) => !self);
  const never = moves.filter(({ id }) => !taken.has(id));
  const states = [...new Set(never.map(({ from }) => from))];
  return (
    <Card title="Never taken" note={`${never.length} of ${moves.length} transitions, by this version`}>
      {never.length === 0 && <p className="panel-note">Every one has been taken.</p>}
      <ul className="never">
        {states.map((state) => (
          <li key={state}>
            <b>{state}</b>
            <ul>
              {never
                .filter(({ from }) => from === state)
                .map(({ id, to, label }) => (
                  <li key={id}>
                    → {to} <span className="ev mono">{label}</span>
                  </li>
                ))}
            </ul>
          </li>
        ))}
      </ul>
    </Card>
  );
}
