type Props = {
  diagrams: React.ReactNode[];
  ways: React.ReactNode;
  /** What happened, and the object itself. */
  left: React.ReactNode;
  /** What is known besides: conditions, owned objects, warnings. */
  right: React.ReactNode;
};

/** In the order in which a person asks. With several lifecycles, the first stands beside the ways out, the rest below them, two by two. */
export function PageGrid({ diagrams, ways, left, right }: Props) {
  const [first, ...rest] = diagrams;
  if (rest.length === 0) {
    return (
      <div className="grid asked">
        <div className="stack">
          {first}
          {left}
        </div>
        <div className="stack">
          {ways}
          {right}
        </div>
      </div>
    );
  }
  return (
    <div className="stack">
      <div className="grid asked halves">
        {[first, ways].map((top, side) => (
          <div key={side} className="stack">
            {top}
            {rest.filter((_, index) => index % 2 === side)}
          </div>
        ))}
      </div>
      <div className="grid asked">
        <div className="stack">{left}</div>
        <div className="stack">{right}</div>
      </div>
    </div>
  );
}
