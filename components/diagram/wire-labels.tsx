import type { WireData } from "./wire-edge";

export type LabelsData = { wires: WireData[] };

/** What stands on the arrows, above all of them: an arrow that passes below a word leaves it to be read. */
export function WireLabels({ wires }: LabelsData) {
  return wires
    .filter(({ isQuiet, path }) => !isQuiet && path.lines.length > 0)
    .map(({ path: { id, label, lines }, look }) => (
      <g key={id} data-arrow={id} className={`wire-label${look === "focus" ? " strong" : ""}`} aria-hidden>
        {lines.map((line, index) => (
          <text key={`${index} ${line}`} x={label.x} y={label.y + 11 + index * 14}>
            {line}
          </text>
        ))}
      </g>
    ));
}
