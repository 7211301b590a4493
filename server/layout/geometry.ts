export type Place = { id: string; x: number; y: number; width: number; height: number };
export type Point = readonly [x: number, y: number];

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

export function corners({ x, y, width, height }: Place): Point[] {
  return [
    [x, y],
    [x + width, y + height],
  ];
}

export function centre({ x, y, width, height }: Place): Point {
  return [x + width / 2, y + height / 2];
}

export function minus(a: Point, b: Point): [number, number] {
  return [a[0] - b[0], a[1] - b[1]];
}

export function covers({ x, y, width, height }: Place, [px, py]: Point, margin: number): boolean {
  return px > x - margin && px < x + width + margin && py > y - margin && py < y + height + margin;
}

export function overlaps(a: Place, b: Place): boolean {
  return a.x < b.x + b.width + 3 && b.x < a.x + a.width + 3 && a.y < b.y + b.height + 2 && b.y < a.y + a.height + 2;
}

/** How often two lines of points cross. */
export function crossings(one: readonly Point[], other: readonly Point[]): number {
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

function meet(a: Point, b: Point, c: Point, d: Point): boolean {
  const side = (p: Point, q: Point, r: Point) =>
    Math.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
  return side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b);
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function cheapest<T>(options: readonly T[], costOf: (option: T, rank: number) => number): T {
  const priced = options.map((option, rank) => ({ option, cost: costOf(option, rank) }));
  return priced.reduce((best, next) => (next.cost < best.cost ? next : best)).option;
}
