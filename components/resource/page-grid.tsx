type Props = {
  diagrams: React.ReactNode[];
  ways: React.ReactNode;
  /** What happened, and the object itself. */
  left: React.ReactNode;
  /** What is known besides: conditions, owned objects, warnings. */
  right: React.ReactNode;
};

/** In the order in which a person asks. With several lifecycles, the first stands beside the ways out, the rest side by side. */
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
      <div className="grid asked">
        {first}
        {ways}
      </div>
      <div className="grid halves">
        {[0, 1].map((side) => (
          <div key={side} className="stack">
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
