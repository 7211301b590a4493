import type { MachineAnswer } from "../answers";
import { Card } from "../ui/card";

type Props = { definition: MachineAnswer["definition"]; taken: ReadonlySet<string> };

/** The ways that nothing has gone here yet: rare ones, or rules that nobody needs. */
export function NeverTaken({ definition, taken }: Props) {
  const moves = definition.diagram.edges.filter(({ self }) => !self);
  const never = moves.filter(({ id }) => !taken.has(id));
  return (
    <Card title="Never taken" note={`${never.length} of ${moves.length} transitions, by this version`}>
      {never.length === 0 && <p className="panel-note">Every one has been taken.</p>}
      <ul className="never">
        {never.map(({ id, from, to, label }) => (
          <li key={id}>
            {from} → {to} <span className="ev mono">{label}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
