import type { GuardAnswer } from "@/server/resources/evidence-answers";

type Leaf = Extract<GuardAnswer, { op: "is" }>;

/** A condition as a tree, true or false at every leaf, with what was seen. `wanted` is the value that helps at this place. */
export function GuardView({ guard, wanted }: { guard: GuardAnswer; wanted: boolean }) {
  if (guard.op === "is") return <LeafView leaf={guard} wanted={wanted} />;
  if (guard.op === "not") return guard.of.map((part, index) => <GuardView key={index} guard={part} wanted={!wanted} />);
  return (
    <div className="branch">
      {guard.of.length > 1 && <div className="op">{wanted === (guard.op === "and") ? "all of" : "any of"}</div>}
      {guard.of.map((part, index) => (
        <GuardView key={index} guard={part} wanted={wanted} />
      ))}
    </div>
  );
}

/** The first condition that keeps a way shut, in words. */
export function whyShut(guard: GuardAnswer, wanted = true): string {
  if (guard.op === "is") return guard.value === wanted ? "" : guard.sentence;
  const flips = guard.op === "not" ? !wanted : wanted;
  return guard.of.map((part) => whyShut(part, flips)).find((said) => said !== "") ?? "";
}

function LeafView({ leaf, wanted }: { leaf: Leaf; wanted: boolean }) {
  const holds = leaf.value === wanted;
  return (
    <div className="leaf">
      <svg
        width="11"
        height="11"
        viewBox="0 0 12 12"
        className={holds ? "yes" : "no"}
        role="img"
        aria-label={holds ? "holds" : "does not hold"}
      >
        <circle cx="6" cy="6" r="4.6" fill={holds ? "currentColor" : "none"} stroke="currentColor" strokeWidth="1.8" />
      </svg>
      <span>
        <b>{leaf.sentence}</b> <span className="ev mono">{leaf.name}</span>
        {leaf.evidence.map(({ sentence, object }) => (
          <span key={sentence} className="ev" style={{ display: "block" }}>
            {sentence}
            {object?.resourceVersion && ` · rv ${object.resourceVersion}`}
          </span>
        ))}
      </span>
    </div>
  );
}
