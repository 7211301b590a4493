import type { Layout } from "@/server/layout/layout-machine";
import { ArrowHead } from "./arrow-head";
import type { DrawnMachine } from "./drawn-machine";

/** The room that a diagram takes, the same before and after it can be walked through. */
export function frameOf({ width, height }: Layout): React.CSSProperties {
  return { aspectRatio: `${width} / ${height}`, maxHeight: 620, maxWidth: width, marginInline: "auto" };
}

/** The diagram as the server paints it: the same places, before the script that moves it has come. */
export function StillDiagram({ id, layout, machine }: { id: string; layout: Layout; machine: DrawnMachine }) {
  const { left, top, width, height } = layout;
  return (
    <div className="flow" style={frameOf(layout)} aria-hidden>
      <svg
        className={`picture${machine.isDense ? " dense" : ""}`}
        viewBox={`${left} ${top} ${width} ${height}`}
        style={{ height: "100%" }}
      >
        <defs>
          <ArrowHead id={`${id}-still`} className="head" />
        </defs>
        {layout.arrows.map((arrow) => (
          <g key={arrow.id}>
            <path className="arrow" d={arrow.d} markerEnd={`url(#${id}-still)`} />
            {!machine.isDense &&
              arrow.lines.map((line, index) => (
                <text key={`${index} ${line}`} className="lbl" x={arrow.label.x} y={arrow.label.y + 11 + index * 14}>
                  {line}
                </text>
              ))}
          </g>
        ))}
        {layout.nodes.map((node) => {
          const state = machine.states.find((one) => one.id === node.id);
          const isLit = state?.look === "now" || state?.look === "populated";
          return (
            <g
              key={node.id}
              className={`node ${state?.tone ?? "idle"}${isLit ? " has" : ""}`}
              transform={`translate(${node.x} ${node.y})`}
            >
              <rect width={node.width} height={node.height} rx="11" />
              <text x="15" y={node.height / 2 + (state?.sub ? -2 : 4)}>
                {node.id}
              </text>
              {state?.sub && (
                <text className="sub" x="15" y={node.height / 2 + 14}>
                  {state.sub}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
