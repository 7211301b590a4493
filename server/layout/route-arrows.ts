import { centre, cheapest, covers, crossings, minus, round, type Place, type Point } from "./geometry";

type Wish = { id: string; from: string; to: string };
/** `coarse` are fewer of its points, enough to see what it crosses. */
export type Curve = { id: string; from: string; points: Point[]; coarse: Point[]; d: string };

/** Where a curve must not go, and which curves were there before. */
type Around = { obstacles: readonly Place[]; before: readonly Curve[] };

/** A curve for every arrow, shortest first, each bent just enough to keep off the states and the curves before it. */
export function routeArrows(places: readonly Place[], wishes: readonly Wish[]): Curve[] {
  const curves: Curve[] = [];
  for (const wish of byLength(places, wishes)) curves.push(...curveFor(places, wishes, wish, bends, curves));
  return curves;
}

/** Arrows of which only those of one state are looked at together: only those keep off each other. */
export function routeAside(places: readonly Place[], wishes: readonly Wish[]): Curve[] {
  const curves: Curve[] = [];
  for (const wish of byLength(places, wishes)) {
    const before = curves.filter(({ from }) => from === wish.from);
    curves.push(...curveFor(places, wishes, wish, gentleBends, before));
  }
  return curves;
}

// The last lead around a state that stands between two of its column.
const bends = [0, 0.18, -0.18, 0.36, -0.36, 0.6, -0.6, 0.8, -0.8, 1, -1, 1.4, -1.4];
const gentleBends = [0, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3];
const pairShift = 8;
/** Points of a curve, so close that nothing of a label's size falls between two of them. */
export const samples = 64;

function byLength(places: readonly Place[], wishes: readonly Wish[]): Wish[] {
  const at = new Map(places.map((place) => [place.id, place]));
  const lengthOf = ({ from, to }: Wish) => {
    const [a, b] = [at.get(from), at.get(to)];
    return a && b ? Math.hypot(...minus(centre(a), centre(b))) : 0;
  };
  return wishes.toSorted((a, b) => lengthOf(a) - lengthOf(b));
}

function curveFor(
  places: readonly Place[],
  wishes: readonly Wish[],
  wish: Wish,
  tried: readonly number[],
  before: readonly Curve[],
): Curve[] {
  const from = places.find(({ id }) => id === wish.from);
  const to = places.find(({ id }) => id === wish.to);
  if (!from || !to) return [];
  const isPair = wishes.some((other) => other.from === wish.to && other.to === wish.from);
  const obstacles = places.filter((place) => place !== from && place !== to);
  const candidates = tried.map((bend) => curveOf(wish, from, to, { bend, shift: isPair ? pairShift : 0 }));
  return [cheapest(candidates, (curve, rank) => rank * 4 + curveCost(curve, { obstacles, before }))];
}

function curveOf(
  { id, from: source }: Wish,
  from: Place,
  to: Place,
  { bend, shift }: { bend: number; shift: number },
): Curve {
  const [a, b] = [centre(from), centre(to)];
  const [dx, dy] = minus(b, a);
  const length = Math.hypot(dx, dy) || 1;
  const normal: Point = [-dy / length, dx / length];
  const middle: Point = [(a[0] + b[0]) / 2 + normal[0] * length * bend, (a[1] + b[1]) / 2 + normal[1] * length * bend];
  const aside = (point: Point): Point => [point[0] + normal[0] * shift, point[1] + normal[1] * shift];
  const start = border(from, aside(a), aside(middle), 0);
  const end = border(to, aside(b), aside(middle), 3);
  const via = aside(middle);
  const points = Array.from({ length: samples + 1 }, (_, index) => quadratic(start, via, end, index / samples));
  const d = bend === 0 ? `M${text(start)}L${text(end)}` : `M${text(start)}Q${text(via)} ${text(end)}`;
  return { id, from: source, points, coarse: points.filter((_, index) => index % 4 === 0), d };
}

/** Where the line from inside a place towards a point leaves the place, with a gap for the arrow's head. */
function border({ x, y, width, height }: Place, inside: Point, towards: Point, gap: number): Point {
  const [dx, dy] = minus(towards, inside);
  const reachX = dx > 0 ? (x + width + gap - inside[0]) / dx : dx < 0 ? (x - gap - inside[0]) / dx : Infinity;
  const reachY = dy > 0 ? (y + height + gap - inside[1]) / dy : dy < 0 ? (y - gap - inside[1]) / dy : Infinity;
  const reach = Math.min(reachX, reachY);
  return [inside[0] + dx * reach, inside[1] + dy * reach];
}

function curveCost(curve: Curve, { obstacles, before }: Around): number {
  let cost = 0;
  for (const place of obstacles) {
    const near = curve.points.filter((point) => covers(place, point, 8));
    const behind = near.filter((point) => covers(place, point, 1)).length;
    if (near.length > 0) cost += 60 + 8 * near.length;
    // An arrow that goes behind a state looks as if it began or ended there.
    if (behind > 0) cost += 400 + 30 * behind;
  }
  for (const other of before) cost += 14 * crossings(curve.coarse, other.coarse);
  return cost;
}

function quadratic(a: Point, via: Point, b: Point, t: number): Point {
  const [p, q, r] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
  return [p * a[0] + q * via[0] + r * b[0], p * a[1] + q * via[1] + r * b[1]];
}

export function text([x, y]: Point): string {
  return `${round(x)} ${round(y)}`;
}
