import type { Layout } from "@/server/layout/layout-machine";
import { ArrowHead } from "./arrow-head";
import type { DrawnMachine } from "./drawn-machine";
import { wiresOf } from "./flow-elements";

const heads = ["shut", "plain", "may", "will", "taken"] as const;

/** The room that a diagram takes, the same before and after it can be walked through. */
export function frameOf({ width, height }: Layout): React.CSSProperties {
  return { aspectRatio: `${width} / ${height}`, maxHeight: 620, maxWidth: width, marginInline: "auto" };
}

/** The diagram as the server paints it: the same places, before the script that moves it has come. */
export function StillDiagram({ id, layout, machine }: { id: string; layout: Layout; machine: DrawnMachine }) {
  const { left, top, width, height } = layout;
  return (
    <div className="flow" style={frameOf(layout)} aria-hidden>
      <svg className="picture" viewBox={`${left} ${top} ${width} ${height}`} style={{ height: "100%" }}>
        <defs>
          {heads.map((look) => (
            <ArrowHead key={look} id={`${id}-still-${look}`} className={`wire-head ${look}`} />
          ))}
        </defs>
        {wiresOf(id, layout, machine).map(({ path, look, isQuiet }) => (
          <g key={path.id}>
            <path
              className={`wire ${look}${isQuiet ? " faint" : ""}`}
              d={path.d}
              markerEnd={isQuiet ? undefined : `url(#${id}-still-${look})`}
            />
            {!isQuiet &&
              path.lines.map((line, index) => (
                <text
                  key={`${index} ${line}`}
                  className="wire-label"
                  x={path.label.x}
                  y={path.label.y + 11 + index * 14}
                >
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
              <text x="13" y={node.height / 2 + (state?.sub ? -2 : 4)}>
                {node.id}
              </text>
              {state?.sub && (
                <text className="sub" x="13" y={node.height / 2 + 14}>
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
