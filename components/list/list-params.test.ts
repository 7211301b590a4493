import { expect, test } from "vitest";
import { matches, paramsOf, replaced, toggled } from "./list-params";

const search = new URLSearchParams(
  "state=stable&state=stopped&tone=bad&tone=loud&q=etl&sort=name&direction=desc&sort2=x",
);

test("the address says what is shown; what it cannot mean is left out", () => {
  expect(paramsOf(search, "firebolt.engine")).toEqual({
    filter: { kinds: ["firebolt.engine"], states: ["stable", "stopped"], tones: ["bad"], text: "etl" },
    sort: "name",
    direction: "desc",
  });
  expect(paramsOf(new URLSearchParams(), null)).toEqual({ filter: {}, sort: "attention", direction: "asc" });
});

test("a filter is added by the same click that takes it away", () => {
  const without = toggled(search, "state", "stable");
  expect(without.getAll("state")).toEqual(["stopped"]);
  expect(toggled(without, "state", "stable").getAll("state")).toEqual(["stopped", "stable"]);
  expect(replaced(search, { q: null, sort: "since" }).toString()).not.toContain("q=");
});

test("a row that moved on no longer matches the states that were asked for", () => {
  const params = paramsOf(new URLSearchParams("state=runtime%3DRunning"), null);
  const row = { state: "Provisioned", tone: "good", lifecycles: { runtime: { state: "Running" } } } as const;
  expect(matches(params, row)).toBe(true);
  expect(matches(params, { ...row, lifecycles: { runtime: { state: "Paused" } } })).toBe(false);
});
