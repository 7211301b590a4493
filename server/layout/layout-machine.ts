import type { AnyStateMachine } from "xstate";
import { arrowsOf, denseFrom, folded, type Arrow, type Diagram } from "@/machines/arrows";
import { contentHash } from "@/machines/content-hash";
import { diagramOf } from "@/machines/diagram";
import { placeStates, type Grid } from "./place-states";
import { boundsOf, routeArrows, type Place, type Point } from "./route-arrows";

/** `arrows` follow `arrowsOf`: `d` is the path of SVG, `lines` is what stands beside it. All within left, top, width, height. */
export type Layout = {
  left: number;
  top: number;
  width: number;
  height: number;
  nodes: Place[];
  arrows: { id: string; d: string; label: Place; lines: string[] }[];
  boxes: Place[];
};

/** `large` has room for labels and dwell times, `folded` has its boxes shut, `small` is the thumbnail of the overview. */
export type LayoutSize = "large" | "folded" | "small";

const made = new Map<string, Layout>();

/** Where everything of a machine's diagram stands. Computed once per machine: nothing moves while it is looked at. */
export function layoutMachine(machine: AnyStateMachine, size: LayoutSize): Layout {
  const key = `${contentHash(machine)} ${size}`;
  const diagram = diagramOf(machine);
  const layout = made.get(key) ?? layOut(size === "folded" ? folded(diagram) : diagram, size);
  made.set(key, layout);
  return layout;
}

const roomy = {
  height: 52,
  character: 7.3,
  padding: 34,
  widthMin: 146,
  across: 168,
  down: 92,
  margin: 8,
  labels: true,
};
const sizes = {
  large: roomy,
  folded: roomy,
  small: { height: 30, character: 6.2, padding: 40, widthMin: 84, across: 22, down: 36, margin: 4, labels: false },
} as const;

function layOut(diagram: Diagram, size: LayoutSize): Layout {
  const arrows = arrowsOf(diagram);
  const boxes = Object.entries(diagram.boxes);
  const states = diagram.nodes.map(({ id }) => id);
  const grid = placeStates(
    states,
    arrows,
    boxes.map(([, inside]) => inside),
  );
  const nodes = places(states, grid, size);
  const lines = new Map(arrows.map((arrow) => [arrow.id, linesOf(arrow)]));
  const routes = routeArrows(
    nodes,
    arrows.map((arrow) => ({ ...arrow, label: labelSize(lines.get(arrow.id) ?? [], size) })),
    { isDense: arrows.length > denseFrom },
  );
  const around = boxes.map(([id, inside]) =>
    boxAround(
      id,
      nodes.filter((node) => inside.includes(node.id)),
      size,
    ),
  );
  const { margin, labels } = sizes[size];
  const solid = [...nodes, ...around, ...(labels ? routes.map(({ label }) => label) : [])];
  const { left, top, right, bottom } = boundsOf([...solid.flatMap(corners), ...routes.flatMap(({ points }) => points)]);
  return {
    left: Math.floor(left - margin),
    top: Math.floor(top - margin),
    width: Math.ceil(right - left + 2 * margin),
    height: Math.ceil(bottom - top + 2 * margin),
    nodes,
    boxes: around,
    arrows: routes.map(({ id, d, label }) => ({ id, d, label, lines: lines.get(id) ?? [] })),
  };
}

function corners({ x, y, width, height }: Place): Point[] {
  return [
    [x, y],
    [x + width, y + height],
  ];
}

function places(states: readonly string[], { columns, cells }: Grid, size: LayoutSize): Place[] {
  const { height, character, padding, widthMin, across, down } = sizes[size];
  const widthOf = (state: string) => Math.max(widthMin, Math.round(state.length * character) + padding);
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(widthMin, ...states.filter((state) => cells.get(state)?.column === column).map(widthOf)),
  );
  return states.map((id) => {
    const { column, row } = cells.get(id) ?? { column: 0, row: 0 };
    const left = widths.slice(0, column).reduce((sum, width) => sum + width + across, 0);
    return { id, x: left, y: row * (height + down), width: widths[column] ?? widthMin, height };
  });
}

const labelLength = 24;
const character = 6.35;

/** An arrow's one transition, wrapped; of several the first, and how many more. The text twin tells each in full. */
function linesOf({ edges }: Arrow): string[] {
  const labels = [...new Set(edges.map(({ label }) => label))];
  const [first = ""] = labels;
  return labels.length > 1 ? [...wrapped(first, 1), `+ ${labels.length - 1} more`] : wrapped(first, 3);
}

/** At most so many lines, broken between words; what does not fit is cut. */
function wrapped(label: string, linesMax: number): string[] {
  const lines: string[] = [];
  for (const word of label.split(" ").map((one) => cut(one, labelLength))) {
    const joined = `${lines.at(-1) ?? ""} ${word}`.trim();
    // What is done begins a line of its own.
    if (lines.length > 0 && joined.length <= labelLength && word !== "/") lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  if (lines.length <= linesMax) return lines;
  return [...lines.slice(0, linesMax - 1), cut(`${lines[linesMax - 1] ?? ""} …`, labelLength)];
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function labelSize(lines: readonly string[], size: LayoutSize) {
  if (!sizes[size].labels) return { width: 0, height: 0 };
  return { width: Math.ceil(Math.max(...lines.map(({ length }) => length)) * character), height: lines.length * 14 };
}

function boxAround(id: string, inside: readonly Place[], size: LayoutSize): Place {
  const [pad, top] = size === "small" ? [5, 5] : [14, 26];
  const x = Math.min(...inside.map((place) => place.x)) - pad;
  const y = Math.min(...inside.map((place) => place.y)) - top;
  const right = Math.max(...inside.map((place) => place.x + place.width)) + pad;
  const bottom = Math.max(...inside.map((place) => place.y + place.height)) + pad;
  return { id, x, y, width: right - x, height: bottom - y };
}
