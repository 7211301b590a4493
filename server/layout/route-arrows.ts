export type Place = { id: string; x: number; y: number; width: number; height: number };
export type Point = readonly [x: number, y: number];
export type Route = { id: string; d: string; label: Place; points: Point[] };
export type Wish = { id: string; from: string; to: string; label: { width: number; height: number } };

type Curve = { id: string; from: string; points: Point[]; d: string };

/**
 * A curve for every arrow, shortest first, each bent just enough to keep off the states and the curves before it. Of a
 * dense machine only the arrows of one state are looked at together, so only those keep off each other.
 */
export function routeArrows(
  places: readonly Place[],
  wishes: readonly Wish[],
  { isDense }: { isDense: boolean },
): Route[] {
  const at = new Map(places.map((place) => [place.id, place]));
  const byLength = wishes.toSorted((a, b) => distance(at, a) - distance(at, b));
  const curves: Curve[] = [];
  for (const wish of byLength) {
    const [from, to] = [at.get(wish.from), at.get(wish.to)];
    if (!from || !to) continue;
    const isPair = wishes.some((other) => other.from === wish.to && other.to === wish.from);
    const others = places.filter((place) => place !== from && place !== to);
    const candidates = (isDense ? gentleBends : bends).map((bend) =>
      curveOf(wish, from, to, { bend, shift: isPair ? pairShift : 0 }),
    );
    const before = isDense ? curves.filter(({ from }) => from === wish.from) : curves;
    curves.push(cheapest(candidates, (curve, rank) => rank * 4 + curveCost(curve, others, before)));
  }
  const groups = isDense ? [...new Set(wishes.map(({ from }) => from))] : [null];
  return groups.flatMap((group) =>
    labelled(
      places,
      wishes.filter(({ from }) => group === null || from === group),
      curves.filter(({ from }) => group === null || from === group),
    ),
  );
}

const bends = [0, 0.18, -0.18, 0.36, -0.36, 0.6, -0.6];
const gentleBends = [0, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3];
const pairShift = 8;
const samples = 32;

function distance(at: Map<string, Place>, { from, to }: Wish): number {
  const [a, b] = [at.get(from), at.get(to)];
  return a && b ? Math.hypot(...minus(centre(a), centre(b))) : 0;
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
  return { id, from: source, points, d };
}

/** Where the line from inside a place towards a point leaves the place, with a gap for the arrow's head. */
function border({ x, y, width, height }: Place, inside: Point, towards: Point, gap: number): Point {
  const [dx, dy] = minus(towards, inside);
  const reachX = dx > 0 ? (x + width + gap - inside[0]) / dx : dx < 0 ? (x - gap - inside[0]) / dx : Infinity;
  const reachY = dy > 0 ? (y + height + gap - inside[1]) / dy : dy < 0 ? (y - gap - inside[1]) / dy : Infinity;
  const reach = Math.min(reachX, reachY);
  return [inside[0] + dx * reach, inside[1] + dy * reach];
}

function curveCost(curve: Curve, others: readonly Place[], before: readonly Curve[]): number {
  let cost = 0;
  for (const point of curve.points) for (const place of others) if (covers(place, point, 8)) cost += 60;
  for (const other of before) cost += 14 * crossings(curve.points, other.points);
  return cost;
}

function labelled(places: readonly Place[], wishes: readonly Wish[], curves: readonly Curve[]): Route[] {
  const labels: Place[] = [];
  const lines = new Map(curves.map((curve) => [curve.id, curve]));
  return wishes.flatMap(({ id, label: { width, height } }) => {
    const curve = lines.get(id);
    if (!curve) return [];
    const spots = alongFirst.flatMap((index) => besides(curve.points[index] ?? [0, 0], width, height));
    const label = cheapest(
      spots.map(([x, y]) => ({ id, x: round(x), y: round(y), width, height })),
      (spot, rank) => rank + labelCost(spot, { places, labels, curves }),
    );
    labels.push(label);
    return [{ id, d: curve.d, label, points: curve.points }];
  });
}

/** Where a label is tried along its curve: the middle first. */
const alongFirst = [16, 14, 18, 12, 20, 10, 22, 8, 24, 6, 26, 4, 28];

function besides([x, y]: Point, width: number, height: number): Point[] {
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

/** With the air that a label needs around it. */
function grown({ id, x, y, width, height }: Place): Place {
  return { id, x: x - 3, y: y - 2, width: width + 6, height: height + 4 };
}

type Taken = { places: readonly Place[]; labels: readonly Place[]; curves: readonly Curve[] };

/** Over a state a label hides something and is hidden; over another label neither can be read; over an arrow both can. */
function labelCost(spot: Place, { places, labels, curves }: Taken): number {
  let cost = 0;
  for (const place of places) if (overlaps(grown(spot), place)) cost += 600;
  for (const label of labels) if (overlaps(grown(spot), label)) cost += 300;
  for (const curve of curves) for (const point of curve.points) if (covers(spot, point, 1)) cost += 6;
  return cost;
}

function cheapest<T>(options: readonly T[], costOf: (option: T, rank: number) => number): T {
  const priced = options.map((option, rank) => ({ option, cost: costOf(option, rank) }));
  return priced.reduce((best, next) => (next.cost < best.cost ? next : best)).option;
}

function crossings(one: readonly Point[], other: readonly Point[]): number {
  if (!touch(one, other)) return 0;
  let found = 0;
  for (let i = 1; i < one.length; i++) {
    for (let j = 1; j < other.length; j++) {
      if (meet(one[i - 1] ?? zero, one[i] ?? zero, other[j - 1] ?? zero, other[j] ?? zero)) found++;
    }
  }
  return found;
}

const zero: Point = [0, 0];

function touch(one: readonly Point[], other: readonly Point[]): boolean {
  const [a, b] = [boundsOf(one), boundsOf(other)];
  return a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
}

export function boundsOf(points: readonly Point[]) {
  const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const [x, y] of points) {
    bounds.left = Math.min(bounds.left, x);
    bounds.top = Math.min(bounds.top, y);
    bounds.right = Math.max(bounds.right, x);
    bounds.bottom = Math.max(bounds.bottom, y);
  }
  return bounds;
}

function meet(a: Point, b: Point, c: Point, d: Point): boolean {
  const side = (p: Point, q: Point, r: Point) =>
    Math.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
  return side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b);
}

function covers({ x, y, width, height }: Place, [px, py]: Point, margin: number): boolean {
  return px > x - margin && px < x + width + margin && py > y - margin && py < y + height + margin;
}

function overlaps(a: Place, b: Place): boolean {
  return a.x < b.x + b.width + 3 && b.x < a.x + a.width + 3 && a.y < b.y + b.height + 2 && b.y < a.y + a.height + 2;
}

function quadratic(a: Point, via: Point, b: Point, t: number): Point {
  const [p, q, r] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
  return [p * a[0] + q * via[0] + r * b[0], p * a[1] + q * via[1] + r * b[1]];
}

function centre({ x, y, width, height }: Place): Point {
  return [x + width / 2, y + height / 2];
}

function minus(a: Point, b: Point): [number, number] {
  return [a[0] - b[0], a[1] - b[1]];
}

function text([x, y]: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
