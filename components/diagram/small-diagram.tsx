import type { Tone } from "@/machines/lifecycle";
import type { Layout } from "@/server/layout/layout-machine";
import { Link } from "../ui/link";
import { ArrowHead } from "./arrow-head";

type State = { state: string; tone: Tone; count: number };
type Props = { id: string; layout: Layout; states: State[]; hrefOf: (state: string) => string; label: string };

/** A machine as a thumbnail: how many resources are in each state, each a way to the list of them. */
export function SmallDiagram({ id, layout, states, hrefOf, label }: Props) {
  const { left, top, width, height } = layout;
  const head = `head-${id}`;
  // Small machines keep their size; large ones shrink to the card, for as long as they can be read.
  return (
    <svg
      className="picture"
      viewBox={`${left} ${top} ${width} ${height}`}
      style={{ maxWidth: width * 1.08, minWidth: width * 0.78 }}
      role="group"
      aria-label={label}
    >
      <defs>
        <ArrowHead id={head} className="head" size={6} />
      </defs>
      {layout.boxes.map((box) => (
        <rect key={box.id} className="box" x={box.x} y={box.y} width={box.width} height={box.height} rx="10" />
      ))}
      {[...layout.arrows.filter(({ isAside }) => !isAside), ...layout.entries].map((arrow) => (
        <path key={arrow.id} className="arrow" d={arrow.d} markerEnd={`url(#${head})`} />
      ))}
      {layout.nodes.map((node) => {
        const { tone = "idle", count = 0 } = states.find(({ state }) => state === node.id) ?? {};
        return (
          <Link key={node.id} href={hrefOf(node.id)}>
            <g className={`node ${tone}${count > 0 ? " has" : ""}`} transform={`translate(${node.x} ${node.y})`}>
              <rect width={node.width} height={node.height} rx="8" />
              <text x="10" y={node.height / 2 + 4} style={{ fontSize: 11 }}>
                {node.id}
              </text>
              {count > 0 && (
                <text x={node.width - 9} y={node.height / 2 + 4} textAnchor="end" style={{ fontWeight: 620 }}>
                  {` ${count.toLocaleString("en")}`}
                </text>
              )}
            </g>
          </Link>
        );
      })}
    </svg>
  );
}
