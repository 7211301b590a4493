import { expect, test } from "vitest";
import { arrowsOf, entriesOf, type Diagram } from "./arrows";

const states = ["a", "b", "c", "d", "e"];
const edge = (from: string, to: string, label: string) => ({
  id: `${from} ${label} ${to}`,
  from,
  to,
  label,
  command: null,
  self: from === to,
});
const diagramWith = (edges: Diagram["edges"]): Diagram => ({ nodes: [], boxes: {}, edges });

test("a way that many states have is told once, where it leads", () => {
  const many = states.slice(1).map((from) => edge(from, "a", "[edited]"));
  const diagram = diagramWith([...many, edge("b", "c", "[done]")]);
  expect(entriesOf(diagram)).toEqual([{ id: ">a", to: "a", from: ["b", "c", "d", "e"], labels: ["[edited]"] }]);
  expect(arrowsOf(diagram).map(({ id, own }) => [id, own.length])).toEqual([
    ["b>a", 0],
    ["c>a", 0],
    ["d>a", 0],
    ["e>a", 0],
    ["b>c", 1],
  ]);
});

test("an arrow with a way of its own beside the common one is drawn for that", () => {
  const many = states.slice(1).map((from) => edge(from, "a", "[edited]"));
  const [first] = arrowsOf(diagramWith([...many, edge("b", "a", "[lost]")]));
  expect(first?.edges.map(({ label }) => label)).toEqual(["[edited]", "[lost]"]);
  expect(first?.own.map(({ label }) => label)).toEqual(["[lost]"]);
});

test("a way that few states have keeps its arrows, and one that stays has none", () => {
  const diagram = diagramWith([
    edge("b", "a", "[x]"),
    edge("c", "a", "[x]"),
    edge("d", "a", "[x]"),
    edge("a", "a", ""),
  ]);
  expect(entriesOf(diagram)).toEqual([]);
  expect(arrowsOf(diagram).every(({ own }) => own.length === 1)).toBe(true);
});
