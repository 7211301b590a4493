export type Cell = { column: number; row: number };
export type Grid = { columns: number; rows: number; cells: Map<string, Cell> };
export type Link = { from: string; to: string };

/**
 * A place on a grid for every state, so that arrows are short, seldom cross, run to the right, and keep off other states.
 * The search is seeded: the same machine always looks the same.
 */
export function placeStates(
  states: readonly string[],
  links: readonly Link[],
  boxes: readonly (readonly string[])[],
): Grid {
  const columns = columnsFor(states.length);
  const rows = Math.max(1, Math.ceil(states.length / columns));
  const free = columns * rows;
  const cellOf = (index: number): Cell => ({ column: index % columns, row: Math.floor(index / columns) });
  const costOf = costs(states, links, boxes, cellOf);
  // seats[cell] is the index of the state there; those beyond the last state are empty.
  let seats = Array.from({ length: free }, (_, index) => index);
  let cost = costOf(seats);
  let best = { seats, cost };
  const random = seeded(states.join("\n"));
  const rounds = roundsFor(links.length);
  for (let round = 0; round < rounds; round++) {
    const warmth = 12 * (1 - round / rounds) ** 2;
    const next = [...seats];
    const [a, b] = [Math.floor(random() * free), Math.floor(random() * free)];
    [next[a], next[b]] = [next[b] ?? 0, next[a] ?? 0];
    const price = costOf(next);
    if (price > cost && random() >= Math.exp((cost - price) / (warmth + 0.01))) continue;
    [seats, cost] = [next, price];
    if (cost < best.cost) best = { seats, cost };
  }
  const cells = new Map(
    best.seats.flatMap((seat, index) => (states[seat] === undefined ? [] : [[states[seat], cellOf(index)]])),
  );
  return { columns, rows, cells };
}

/** Fewer where each costs more: what has a hundred arrows is no picture of order anyway. */
function roundsFor(links: number): number {
  return Math.round(Math.min(12_000, 4_000_000 / (links * links + 1)));
}

/** Few, so that a machine of nine states can still be read beside something else. */
function columnsFor(states: number): number {
  if (states <= 9) return Math.max(1, Math.min(3, states));
  return Math.min(5, Math.ceil(Math.sqrt(states * 1.2)));
}

function costs(
  states: readonly string[],
  links: readonly Link[],
  boxes: readonly (readonly string[])[],
  cellOf: (index: number) => Cell,
) {
  const numbers = new Map(states.map((state, index) => [state, index]));
  const segments = links.map(({ from, to }) => ({ from: numbers.get(from) ?? 0, to: numbers.get(to) ?? 0 }));
  const groups = boxes.map((box) => box.map((state) => numbers.get(state) ?? 0));
  const rivals = segments.flatMap((one, index) =>
    segments
      .slice(index + 1)
      .filter((other) => isApart(one, other))
      .map((other) => [one, other] as const),
  );
  return (seats: readonly number[]): number => {
    const at: Cell[] = [];
    seats.forEach((seat, index) => (at[seat] = cellOf(index)));
    const cell = (state: number) => at[state] ?? origin;
    let cost = 4 * cell(0).column + 8 * cell(0).row;
    for (const { from, to } of segments) {
      cost += lengthCost(cell(from), cell(to), from < to) + (to === from + 1 ? stepCost(cell(from), cell(to)) : 0);
      for (let state = 0; state < states.length; state++) {
        if (state !== from && state !== to && passes(cell(state), cell(from), cell(to))) cost += 9;
      }
    }
    for (const [one, other] of rivals)
      if (crosses(cell(one.from), cell(one.to), cell(other.from), cell(other.to))) cost += 6;
    for (const group of groups) cost += 30 * outsiders(group, at, states.length);
    for (let state = 1; state < states.length; state++) if (isBefore(cell(state), cell(state - 1))) cost += 0.8;
    return cost;
  };
}

const origin: Cell = { column: 0, row: 0 };

/** What comes later in the machine belongs to the right of what comes before, or below. */
function lengthCost(a: Cell, b: Cell, forward: boolean): number {
  const [dx, dy] = [b.column - a.column, b.row - a.row];
  const against = forward ? (dx < 0 ? 2.5 : 0) + (dy < 0 ? 2.5 : 0) : 0;
  return Math.abs(dx) * 2 + Math.abs(dy) * 2.4 + (dx !== 0 && dy !== 0 ? 1.2 : 0) + against;
}

/** The next state of the machine's own order stands best right beside. */
function stepCost(a: Cell, b: Cell): number {
  return b.column === a.column + 1 && b.row === a.row ? -3 : 0;
}

/** Where nothing else decides, states stand in the machine's own order, as one reads. */
function isBefore(a: Cell, b: Cell): boolean {
  return a.row < b.row || (a.row === b.row && a.column < b.column);
}

function passes(point: Cell, a: Cell, b: Cell): boolean {
  const cross = (b.column - a.column) * (point.row - a.row) - (b.row - a.row) * (point.column - a.column);
  if (cross !== 0) return false;
  const along = (point.column - a.column) * (b.column - a.column) + (point.row - a.row) * (b.row - a.row);
  return along > 0 && along < (b.column - a.column) ** 2 + (b.row - a.row) ** 2;
}

type Segment = { from: number; to: number };

function isApart(one: Segment, other: Segment): boolean {
  return one.from !== other.from && one.from !== other.to && one.to !== other.from && one.to !== other.to;
}

function crosses(a: Cell, b: Cell, c: Cell, d: Cell): boolean {
  return side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b);
}

function side(p: Cell, q: Cell, r: Cell): number {
  return Math.sign((q.column - p.column) * (r.row - p.row) - (q.row - p.row) * (r.column - p.column));
}

/** How many states stand in the rectangle around a box without belonging to it. */
function outsiders(group: readonly number[], at: readonly Cell[], count: number): number {
  const cells = group.map((state) => at[state] ?? origin);
  const [columns, rows] = [cells.map(({ column }) => column), cells.map(({ row }) => row)];
  const within = ({ column, row }: Cell) =>
    column >= Math.min(...columns) &&
    column <= Math.max(...columns) &&
    row >= Math.min(...rows) &&
    row <= Math.max(...rows);
  let found = 0;
  for (let state = 0; state < count; state++) if (!group.includes(state) && within(at[state] ?? origin)) found++;
  return found;
}

/** Mulberry32, from the hash of a text. */
function seeded(text: string): () => number {
  let seed = 0x9e3779b9;
  for (let index = 0; index < text.length; index++) seed = Math.imul(seed ^ text.charCodeAt(index), 0x85ebca6b);
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
