import { expect, test } from "vitest";
import type { Diagram } from "@/machines/arrows";
import type { Layout } from "@/server/layout/layout-machine";
import { drawMachine, type Here } from "./drawn-machine";
import { nowhere, wiresOf } from "./flow-elements";

const states = ["a", "b", "c", "d", "lost"];
/** Any state may be lost: a way that is told once, where it leads. */
const diagram: Diagram = {
  boxes: {},
  nodes: states.map((id) => ({ id, tone: "busy", summary: id, initial: id === "a", settled: false })),
  edges: states.slice(0, 4).map((from) => ({
    id: `${from}.lost`,
    from,
    to: "lost",
    label: "[gone]",
    command: null,
    self: false,
  })),
};
const nowhereElse = { id: "", x: 0, y: 0, width: 0, height: 0 };
const path = (id: string, isAside: boolean) => ({ id, d: "", label: nowhereElse, lines: [], isAside });
const layout: Layout = {
  left: 0,
  top: 0,
  width: 100,
  height: 100,
  boxes: [],
  nodes: states.map((id) => ({ ...nowhereElse, id })),
  arrows: diagram.edges.map(({ from }) => path(`${from}>lost`, true)),
  entries: [path(">lost", false)],
};
const inA: Here = { state: "a", cameBy: null, cameFrom: null, open: new Set(), taken: null, why: new Map() };
const seen = (here: Here, focus = nowhere) =>
  Object.fromEntries(
    wiresOf("d", layout, drawMachine(diagram, new Map(), here), focus).map(({ path, look }) => [path.id, look]),
  );

test("a way that many states share and that is shut is told where it leads, and not drawn", () => {
  expect(seen(inA)).toEqual({ ">lost": "shut" });
});

test("it is drawn while it is open, and when its state is asked about", () => {
  expect(seen({ ...inA, open: new Set(["a.lost"]) })).toEqual({ "a>lost": "may", ">lost": "may" });
  expect(seen(inA, { state: "b", arrow: null })).toEqual({ "b>lost": "focus", ">lost": "shut" });
});
