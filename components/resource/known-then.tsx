import type { TransitionAnswer } from "../answers";
import { Card } from "../ui/card";

/** The facts that decided a past transition; those that had just changed stand first. */
export function KnownThen({ transition }: { transition: TransitionAnswer }) {
  const { facts, flipped, evidence, writes } = transition;
  const changed = new Map(flipped.map((one) => [one.fact, one]));
  const names = Object.keys(facts).sort(
    (a, b) => Number(changed.has(b)) - Number(changed.has(a)) || a.localeCompare(b, "en"),
  );
  return (
    <Card title="What was known then" note="what had just changed first">
      <table>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <td>
                <code>{name}</code>
              </td>
              <td>
                {changed.has(name) && <span className="ev">{JSON.stringify(changed.get(name)?.from)} → </span>}
                <b>{JSON.stringify(facts[name])}</b>
                {evidence[name] && <div className="ev">{evidence[name].sentence}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {writes.length > 0 && (
        <>
          <h3 className="inner">What was written</h3>
          <ol className="writes">
            {writes.map(({ sentence, outcome, ms }, index) => (
              <li key={index}>
                <span className="verb">{outcome}</span>
                <span>
                  {sentence} <span className="ev">{Math.round(ms)} ms</span>
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </Card>
  );
}
