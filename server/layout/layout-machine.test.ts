import { describe, expect, test } from "vitest";
import { arrowsOf, entriesOf } from "@/machines/arrows";
import { diagramOf } from "@/machines/diagram";
import { kinds } from "@/machines/families";
import { kettleMachine } from "@/machines/fixtures/kettle";
import { layoutMachine } from "./layout-machine";
import type { Place } from "./geometry";

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

  test("is the same every time, so that nothing moves", () => {
    expect(layoutMachine(diagram, "large")).toEqual(layout);
  });
});

function overlap(a: Place, b: Place): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
