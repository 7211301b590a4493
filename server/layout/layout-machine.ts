import { arrowsOf, entriesOf, folded, type Arrow, type Diagram, type Entry } from "@/machines/arrows";
import { boundsOf, corners, type Place } from "./geometry";
import { placeEntries, placeLabels } from "./place-labels";
import { placeStates, type Grid } from "./place-states";
import { routeArrows, routeAside } from "./route-arrows";

/**
 * `arrows` follow `arrowsOf`, `entries` follow `entriesOf`: `d` is the path of SVG, `lines` is what stands beside it. All
 * within left, top, width, height.
 */
export type Layout = {
  left: number;
  top: number;
  width: number;
  height: number;
  nodes: Place[];
  arrows: Wire[];
  entries: Wire[];
  boxes: Place[];
};

/** `isAside`: told where it leads, and drawn only when it is asked about. */
type Wire = { id: string; d: string; label: Place; lines: string[]; isAside: boolean };

/** `large` has room for labels and dwell times, `folded` has its boxes shut, `small` is the thumbnail of the overview. */
export type LayoutSize = "large" | "folded" | "small";

/** Where everything of a machine's diagram stands: always the same for the same machine, so that nothing moves. */
export function layoutMachine(diagram: Diagram, size: LayoutSize): Layout {
  return layOut(size === "folded" ? folded(diagram) : diagram, size);
}

const roomy = {
  height: 52,
  character: 7.3,
  padding: 34,
  widthMin: 130,
  across: 166,
  down: 86,
  /** Where there are so many arrows that what stands on them needs more room. */
  downBusy: 124,
  margin: 8,
  labels: true,
};
const sizes = {
  large: roomy,
  // A box that is shut tells what goes on inside.
  folded: { ...roomy, widthMin: 160 },
  small: {
    height: 30,
    character: 6.2,
    padding: 40,
    widthMin: 84,
    across: 22,
    down: 36,
    downBusy: 36,
    margin: 4,
    labels: false,
  },
} as const;

function layOut(diagram: Diagram, size: LayoutSize): Layout {
  const arrows = arrowsOf(diagram);
  const drawn = arrows.filter(({ own }) => own.length > 0);
  const boxes = Object.entries(diagram.boxes);
  const states = diagram.nodes.map(({ id }) => id);
  const grid = placeStates(
    states,
    drawn,
    boxes.map(([, inside]) => inside),
  );
  const nodes = places(states, grid, size, drawn.length > 2 * states.length);
  const { wires, entries } = wire(diagram, nodes, size);
  const around = boxes.map(([id, inside]) =>
    boxAround(
      id,
      [
        ...nodes.filter((node) => inside.includes(node.id)),
        ...entries.filter(({ to, lines }) => inside.includes(to) && lines.length > 0).map(({ label }) => label),
      ],
      size,
    ),
  );
  const { margin } = sizes[size];
  const told = [...wires, ...entries].filter(({ lines }) => lines.length > 0).map(({ label }) => label);
  const { left, top, right, bottom } = boundsOf([
    ...[...nodes, ...around, ...told].flatMap(corners),
    ...wires.flatMap(({ points }) => points),
  ]);
  return {
    left: Math.floor(left - margin),
    top: Math.floor(top - margin),
    width: Math.ceil(right - left + 2 * margin),
    height: Math.ceil(bottom - top + 2 * margin),
    nodes,
    boxes: around,
    // A thumbnail cannot be asked about anything.
    arrows: wires
      .filter(({ isAside }) => sizes[size].labels || !isAside)
      .map(({ id, d, label, lines, isAside }) => ({ id, d, label, lines, isAside })),
    entries: entries.map(({ id, d, label, lines, isAside }) => ({ id, d, label, lines, isAside })),
  };
}

/** The arrows with their labels; those whose way is told where it leads have none, and keep off nothing but the states. */
function wire(diagram: Diagram, places: Place[], size: LayoutSize) {
  const arrows = arrowsOf(diagram);
  const drawn = arrows.filter(({ own }) => own.length > 0);
  const curves = routeArrows(places, drawn);
  const aside = routeAside(
    places,
    arrows.filter(({ own }) => own.length === 0),
  );
  const told = new Map(drawn.map((arrow) => [arrow.id, linesOf(arrow, size)]));
  const ways = entriesOf(diagram).map((entry) => ({ ...entry, lines: entryLines(entry, diagram, size) }));
  const entries = placeEntries(
    ways.map(({ id, to, lines }) => ({ id, to, size: labelSize(lines) })),
    { places, labels: [], curves },
  ).map((entry) => ({ ...entry, lines: ways.find(({ id }) => id === entry.id)?.lines ?? [], isAside: false }));
  const labels = placeLabels(new Map([...told].map(([id, lines]) => [id, labelSize(lines)])), {
    places,
    labels: entries.map(({ label }) => label),
    curves,
  });
  const wires = [...curves, ...aside].map(({ id, d, points }) => ({
    id,
    d,
    points,
    label: labels.get(id) ?? { id, x: 0, y: 0, width: 0, height: 0 },
    lines: told.get(id) ?? [],
    isAside: !told.has(id),
  }));
  return { wires, entries };
}

function places(states: readonly string[], { columns, cells }: Grid, size: LayoutSize, isBusy: boolean): Place[] {
  const { height, character, padding, widthMin, across, down, downBusy } = sizes[size];
  const widthOf = (state: string) => Math.max(widthMin, Math.round(state.length * character) + padding);
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(widthMin, ...states.filter((state) => cells.get(state)?.column === column).map(widthOf)),
  );
  return states.map((id) => {
    const { column, row } = cells.get(id) ?? { column: 0, row: 0 };
    const left = widths.slice(0, column).reduce((sum, width) => sum + width + across, 0);
    return { id, x: left, y: row * (height + (isBusy ? downBusy : down)), width: widths[column] ?? widthMin, height };
  });
}

const labelLength = 22;
const character = 6.95;

/** An arrow's one transition, wrapped; of several the first, and how many more. The text twin tells each in full. */
function linesOf({ own }: Arrow, size: LayoutSize): string[] {
  return sizes[size].labels ? several(own.map(({ label }) => label)) : [];
}

function entryLines({ from, labels }: Entry, { nodes }: Diagram, size: LayoutSize): string[] {
  if (!sizes[size].labels) return [];
  return [from.length === nodes.length - 1 ? "from any state" : `from ${from.length} states`, ...several(labels)];
}

function several(all: readonly string[]): string[] {
  const labels = [...new Set(all)];
  const [first = ""] = labels;
  return labels.length > 1 ? [...wrapped(first, 1), `+ ${labels.length - 1} more`] : wrapped(first, 4);
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

function labelSize(lines: readonly string[]) {
  const longest = Math.max(0, ...lines.map(({ length }) => length));
  return { width: Math.ceil(longest * character), height: lines.length * 14 };
}

function boxAround(id: string, inside: readonly Place[], size: LayoutSize): Place {
  const [pad, top] = size === "small" ? [5, 5] : [14, 26];
  const x = Math.min(...inside.map((place) => place.x)) - pad;
  const y = Math.min(...inside.map((place) => place.y)) - top;
  const right = Math.max(...inside.map((place) => place.x + place.width)) + pad;
  const bottom = Math.max(...inside.map((place) => place.y + place.height)) + pad;
  return { id, x, y, width: right - x, height: bottom - y };
}
