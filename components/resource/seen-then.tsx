import type { TransitionAnswer } from "../answers";
import { Card } from "../ui/card";

/** The objects that were looked at to decide, in the version that was looked at. */
export function SeenThen({ transition }: { transition: TransitionAnswer }) {
  const seen = Object.values(transition.evidence).flatMap(({ sentence, object }) =>
    object ? [{ sentence, object }] : [],
  );
  return (
    <Card title="Owned objects" note="those that were looked at then">
      {seen.length === 0 && <p className="panel-note">None was looked at to decide this.</p>}
      <div className="tree">
        <ul>
          {seen.map(({ sentence, object }) => (
            <li key={`${object.kind}/${object.name}/${sentence}`}>
              <div>
                <span>
                  {object.kind} <b>{object.name}</b>
                </span>
                <span className="ev">{sentence}</span>
                {object.resourceVersion && <span className="r">rv {object.resourceVersion}</span>}
              </div>
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}
