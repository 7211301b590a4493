import { describe, expect, test } from "vitest";
import { arrowsOf, entriesOf } from "@/machines/arrows";
import { diagramOf } from "@/machines/diagram";
import { kinds } from "@/machines/families";
import { kettleMachine } from "@/machines/fixtures/kettle";
import { layoutMachine } from "./layout-machine";
import { covers, type Place, type Point } from "./geometry";

const machines = [
  kettleMachine,
  ...Object.values(kinds).flatMap(({ lifecycles }) => Object.values(lifecycles).map(({ machine }) => machine)),
];

describe.each(machines.map((machine) => ({ id: machine.id, machine })))("the layout of $id", ({ machine }) => {
  const diagram = diagramOf(machine);
  const layout = layoutMachine(diagram, "large");

  test("has a place for every state and a path for every arrow", () => {
    expect(layout.nodes.map(({ id }) => id)).toEqual(diagram.nodes.map(({ id }) => id));
    expect(layout.arrows.map(({ id }) => id).toSorted()).toEqual(
      arrowsOf(diagram)
        .map(({ id }) => id)
        .toSorted(),
    );
    expect(layout.entries.map(({ id }) => id)).toEqual(entriesOf(diagram).map(({ id }) => id));
  });

  test("keeps every state within the picture and apart from the others", () => {
    for (const place of [...layout.nodes, ...layout.boxes]) {
      expect(place.x).toBeGreaterThanOrEqual(layout.left);
      expect(place.y + place.height).toBeLessThanOrEqual(layout.top + layout.height);
    }
    for (const a of layout.nodes) for (const b of layout.nodes) if (a !== b) expect(overlap(a, b)).toBe(false);
  });

  test("keeps what stands on an arrow off the states and off what stands on the others", () => {
    const told = [...layout.arrows, ...layout.entries].filter(({ lines }) => lines.length > 0);
    const hidden = told.filter(({ label }) => layout.nodes.some((node) => overlap(node, label)));
    expect(hidden.map(({ id }) => id)).toEqual([]);
    const covered = told.filter(({ id, label }) =>
      told.some((other) => other.id !== id && overlap(other.label, label)),
    );
    expect(covered.map(({ id }) => id)).toEqual([]);
  });

  test.each(["large", "folded", "small"] as const)(
    "leads no arrow behind a state that it does not belong to, %s",
    (size) => {
      const { nodes, arrows } = layoutMachine(diagram, size);
      const ends = new Map(arrowsOf(diagram).map((arrow) => [arrow.id, arrow]));
      const hidden = arrows.filter(({ id, isAside, d }) => {
        const arrow = ends.get(id);
        const others = nodes.filter((node) => node.id !== arrow?.from && node.id !== arrow?.to);
        return arrow && !isAside && others.some((node) => along(d).some((point) => covers(node, point, 0)));
      });
      expect(hidden.map(({ id }) => id)).toEqual([]);
    },
  );

  test("is the same every time, so that nothing moves", () => {
    expect(layoutMachine(diagram, "large")).toEqual(layout);
  });
});

function overlap(a: Place, b: Place): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Points along a path: `M` and `L` with a line between them, or `M` and `Q` with a curve. */
function along(d: string): Point[] {
  const [x1 = 0, y1 = 0, ...rest] = d.match(/-?[\d.]+/g)?.map(Number) ?? [];
  const [x2 = 0, y2 = 0] = rest.slice(-2);
  const [via1 = 0, via2 = 0] = rest.length === 4 ? rest : [(x1 + x2) / 2, (y1 + y2) / 2];
  const at = (t: number, a: number, via: number, b: number) => (1 - t) ** 2 * a + 2 * t * (1 - t) * via + t ** 2 * b;
  return Array.from({ length: 101 }, (_, step) => [at(step / 100, x1, via1, x2), at(step / 100, y1, via2, y2)]);
}
