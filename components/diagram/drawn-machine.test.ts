import { expect, test } from "vitest";
import { folded } from "@/machines/arrows";
import { diagramOf } from "@/machines/diagram";
import { kettleMachine } from "@/machines/fixtures/kettle";
import { drawMachine, foldedAt, neighbourOf } from "./drawn-machine";

const diagram = diagramOf(kettleMachine);
const here = {
  state: "heating",
  cameBy: "off.observed.0",
  cameFrom: "off",
  open: new Set(["heating.stop.0"]),
  taken: null,
  why: new Map<string, string>(),
};
const looks = (at: Parameters<typeof drawMachine>[2]) =>
  Object.fromEntries(drawMachine(diagram, new Map(), at).arrows.map(({ id, look }) => [id, look]));

test("the way that was taken, the ways that are open and those that are shut look different", () => {
  expect(looks(here)).toEqual({
    "off>heating": "taken",
    "heating>off": "may",
    "heating>hot": "shut",
    "hot>off": "shut",
  });
});

test("the way that the next look at the world takes is marked, and where it leads", () => {
  const at = { ...here, open: new Set(["heating.observed.1"]), taken: "heating.observed.1" };
  expect(looks(at)).toMatchObject({ "heating>hot": "will" });
  expect(drawMachine(diagram, new Map(), at).states.map(({ id, look }) => `${id} ${look}`)).toEqual([
    "off left",
    "heating now",
    "hot next",
  ]);
});

test("with no resource in question, states tell how many are in them", () => {
  const { states, arrows } = drawMachine(diagram, new Map(), new Map([["hot", { count: 3 }]]));
  expect(states.map(({ look, count }) => [look, count])).toEqual([
    ["plain", 0],
    ["plain", 0],
    ["populated", 3],
  ]);
  expect(arrows.every(({ look }) => look === "plain")).toBe(true);
});

test("a box that is shut holds all who are inside, and looks like the state where most of them are", () => {
  const boxed = { ...diagram, boxes: { warm: ["heating", "hot"] } };
  const { at } = foldedAt(
    boxed,
    new Map(),
    new Map([
      ["off", { count: 1 }],
      ["heating", { count: 2 }],
      ["hot", { count: 5 }],
    ]),
  );
  const { states } = drawMachine(folded(boxed), new Map(), at);
  const hot = diagram.nodes.find(({ id }) => id === "hot")?.tone;
  expect(states.map(({ id, count }) => [id, count])).toEqual([
    ["off", 1],
    ["warm", 7],
  ]);
  expect(states.find(({ id }) => id === "warm")?.tone).toBe(hot);
});

test("a transition that stays is told by its state, not drawn", () => {
  expect(drawMachine(diagram, new Map(), here).states[0]?.loops).toEqual(["start [filled]"]);
});

test("arrow keys follow the transitions", () => {
  const place = (id: string, x: number) => ({ id, x, y: 0, width: 10, height: 10 });
  const layout = {
    left: 0,
    top: 0,
    width: 100,
    height: 10,
    arrows: [],
    entries: [],
    boxes: [],
    nodes: [place("off", 0), place("heating", 50), place("hot", 100)],
  };
  const { arrows } = drawMachine(diagram, new Map(), here);
  expect(neighbourOf(layout, arrows, "off", "ArrowRight")).toBe("heating");
  expect(neighbourOf(layout, arrows, "heating", "ArrowRight")).toBe("hot");
  expect(neighbourOf(layout, arrows, "heating", "ArrowLeft")).toBe("off");
});
