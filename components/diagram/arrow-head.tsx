/** The head of an arrow, in the colour of its class. */
export function ArrowHead({ id, className, size = 7 }: { id: string; className: string; size?: number }) {
  return (
    <marker
      id={id}
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth={size}
      markerHeight={size}
      orient="auto"
      markerUnits="userSpaceOnUse"
    >
      <path d="M0 0.5L8 4L0 7.5z" className={className} />
    </marker>
  );
}
