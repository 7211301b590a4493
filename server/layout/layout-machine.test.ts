import { describe, expect, test } from "vitest";
import { arrowsOf, denseFrom } from "@/machines/arrows";
import { diagramOf } from "@/machines/diagram";
import { kinds } from "@/machines/families";
import { kettleMachine } from "@/machines/fixtures/kettle";
import { layoutMachine } from "./layout-machine";
import type { Place } from "./route-arrows";

const machines = [
  kettleMachine,
  ...Object.values(kinds).flatMap(({ lifecycles }) => Object.values(lifecycles).map(({ machine }) => machine)),
];

describe.each(machines.map((machine) => ({ id: machine.id, machine })))("the layout of $id", ({ machine }) => {
  const layout = layoutMachine(machine, "large");

  test("has a place for every state and a path for every arrow", () => {
    const diagram = diagramOf(machine);
    expect(layout.nodes.map(({ id }) => id)).toEqual(diagram.nodes.map(({ id }) => id));
    expect(layout.arrows.map(({ id }) => id).toSorted()).toEqual(
      arrowsOf(diagram)
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  test("keeps every state within the picture and apart from the others", () => {
    for (const place of [...layout.nodes, ...layout.boxes]) {
      expect(place.x).toBeGreaterThanOrEqual(layout.left);
      expect(place.y + place.height).toBeLessThanOrEqual(layout.top + layout.height);
    }
    for (const a of layout.nodes) for (const b of layout.nodes) if (a !== b) expect(overlap(a, b)).toBe(false);
  });

  test("keeps what stands on an arrow off the states", () => {
    if (layout.arrows.length > denseFrom) return;
    const hidden = layout.arrows.filter(({ label }) => layout.nodes.some((node) => overlap(node, label)));
    expect(hidden.map(({ id }) => id)).toEqual([]);
  });

  test("is computed once, so that nothing moves", () => {
    expect(layoutMachine(machine, "large")).toBe(layout);
  });
});

function overlap(a: Place, b: Place): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
