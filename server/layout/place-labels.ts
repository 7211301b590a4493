import { boundsOf, cheapest, corners, covers, overlaps, round, type Place, type Point } from "./geometry";
import { samples, text, type Curve } from "./route-arrows";

type Size = { width: number; height: number };
/** What is there already: labels keep off all of it. */
type Taken = { places: readonly Place[]; labels: readonly Place[]; curves: readonly Curve[] };
type PlacedEntry = { id: string; to: string; d: string; label: Place };

/** A spot beside its curve for every label, off the states and off the other labels, as far as there is room. */
export function placeLabels(sizes: ReadonlyMap<string, Size>, { places, labels, curves }: Taken): Map<string, Place> {
  const placed = new Map<string, Place>();
  // More than once over: what came first may make room for what came last.
  for (const { id, points } of [...curves, ...curves, ...curves]) {
    const size = sizes.get(id);
    if (!size) continue;
    placed.delete(id);
    const spots = along.flatMap((part) => besides(points[Math.round(part * samples)] ?? [0, 0], size));
    const taken = { places, curves, labels: [...labels, ...placed.values()] };
    placed.set(
      id,
      cheapest(
        spots.map(([x, y]) => ({ id, x: round(x), y: round(y), ...size })),
        (spot, rank) => rank * 1.5 + labelCost(spot, taken),
      ),
    );
  }
  return placed;
}

/** A short arrow from nowhere into a state, above or below it, with what stands on it beside. */
export function placeEntries(entries: readonly { id: string; to: string; size: Size }[], taken: Taken): PlacedEntry[] {
  const placed: PlacedEntry[] = [];
  for (const { id, to, size } of entries) {
    const place = taken.places.find((one) => one.id === to);
    if (!place) continue;
    const labels = [...taken.labels, ...placed.map(({ label }) => label)];
    placed.push(
      cheapest(stubs(id, to, place, size), ({ label }, rank) => rank * 2 + labelCost(label, { ...taken, labels })),
    );
  }
  return placed;
}

/** Where a label is tried along its curve: the middle first. */
const along = [0.5, 0.44, 0.56, 0.38, 0.62, 0.31, 0.69, 0.25, 0.75, 0.19, 0.81, 0.12, 0.88];

function besides([x, y]: Point, { width, height }: Size): Point[] {
  return [
    [x - width / 2, y - height - 4],
    [x - width / 2, y + 5],
    [x + 7, y - height / 2],
    [x - width - 7, y - height / 2],
    [x + 5, y - height - 3],
    [x + 5, y + 4],
    [x - width - 5, y - height - 3],
    [x - width - 5, y + 4],
  ];
}

const stubLength = 24;
const stubInset = 16;

function stubs(id: string, state: string, { x, y, width, height }: Place, size: Size): PlacedEntry[] {
  const sides = [
    { from: y - stubLength, to: y - 3, labelY: y - size.height - 5 },
    { from: y + height + stubLength, to: y + height + 3, labelY: y + height + 5 },
  ];
  return sides.flatMap(({ from, to, labelY }) =>
    [
      { at: x + stubInset, labelX: x + stubInset + 8 },
      { at: x + width - stubInset, labelX: x + width - stubInset - 8 - size.width },
    ].map(({ at, labelX }) => ({
      id,
      to: state,
      d: `M${text([at, from])}L${text([at, to])}`,
      label: { id, x: round(labelX), y: round(labelY), ...size },
    })),
  );
}

const wide = 560;

/** With the air that a label needs around it. */
function grown({ id, x, y, width, height }: Place): Place {
  return { id, x: x - 3, y: y - 2, width: width + 6, height: height + 4 };
}

/**
 * Over a state a label hides something and is hidden; over another label neither can be read; over an arrow both can, but
 * not well; beyond the states on the left or the right it makes all the rest of a wide picture smaller.
 */
function labelCost(spot: Place, { places, labels, curves }: Taken): number {
  const { left, right } = boundsOf(places.flatMap(corners));
  let cost = right - left > wide && (spot.x < left || spot.x + spot.width > right) ? 60 : 0;
  for (const place of places) if (overlaps(grown(spot), place)) cost += 900;
  for (const label of labels) if (overlaps(grown(spot), label)) cost += 450;
  for (const curve of curves) for (const point of curve.points) if (covers(spot, point, 2)) cost += 7;
  return cost;
}
