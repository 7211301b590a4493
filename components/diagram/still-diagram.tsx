import type { Layout } from "@/server/layout/layout-machine";
import { ArrowHead } from "./arrow-head";
import type { DrawnMachine, DrawnState } from "./drawn-machine";
import { wiresOf } from "./flow-elements";
import { WireLabels } from "./wire-labels";

const heads = ["shut", "plain", "may", "will", "taken"] as const;

/** The room that a diagram takes, the same before and after it can be walked through. */
export function frameOf({ width, height }: Layout): React.CSSProperties {
  return { aspectRatio: `${width} / ${height}`, maxHeight: 620, maxWidth: width, marginInline: "auto" };
}

/** The diagram as the server paints it: the same places, before the script that moves it has come. */
export function StillDiagram({ id, layout, machine }: { id: string; layout: Layout; machine: DrawnMachine }) {
  const { left, top, width, height } = layout;
  const wires = wiresOf(id, layout, machine);
  return (
    <div className="flow" style={frameOf(layout)} aria-hidden>
      <svg className="picture still" viewBox={`${left} ${top} ${width} ${height}`} style={{ height: "100%" }}>
        <defs>
          {heads.map((look) => (
            <ArrowHead key={look} id={`${id}-still-${look}`} className={`wire-head ${look}`} />
          ))}
        </defs>
        {layout.boxes.map((box) => (
          <g key={box.id}>
            <rect className="box" x={box.x} y={box.y} width={box.width} height={box.height} rx="14" />
            <text className="sub" x={box.x + 13} y={box.y + 17}>
              {box.id}
            </text>
          </g>
        ))}
        {wires.map(({ path, look, isQuiet }) => (
          <path
            key={path.id}
            className={`wire ${look}${isQuiet ? " faint" : ""}`}
            d={path.d}
            markerEnd={isQuiet ? undefined : `url(#${id}-still-${look})`}
          />
        ))}
        <WireLabels wires={wires} />
        {layout.nodes.map((place) => (
          <StillState key={place.id} place={place} state={machine.states.find((one) => one.id === place.id)} />
        ))}
      </svg>
    </div>
  );
}

type StillProps = { place: Layout["nodes"][number]; state: DrawnState | undefined };

/** Line by line where the state that can be walked to stands: nothing jumps when that takes over. */
function StillState({ place: { id, x, y, width, height }, state }: StillProps) {
  const middle = height / 2;
  const isLit = state?.look === "now" || state?.look === "populated";
  return (
    <g
      className={`node ${state?.tone ?? "idle"} ${state?.look ?? ""}${isLit ? " has" : ""}`}
      transform={`translate(${x} ${y})`}
    >
      <rect width={width} height={height} rx="11" />
      <text x="13" y={middle + (state?.sub ? -3 : 5)}>
        {id}
      </text>
      {state?.sub && (
        <text className="sub" x="13" y={middle + 13}>
          {state.sub}
        </text>
      )}
      {!!state?.count && (
        <text className="count" x={width - 13} y="23" textAnchor="end">
          {state.count.toLocaleString("en")}
        </text>
      )}
    </g>
  );
}
