import { expect, test } from "vitest";
import { edgesOf } from "./edges";
import { combinedMachine } from "./feldera/combined.machine";
import { resourcesMachine } from "./feldera/resources.machine";
import { runtimeMachine } from "./feldera/runtime.machine";
import { observed, statesOf, step } from "./lifecycle";

const calm = combinedMachine.config.context as Record<string, unknown>;

test("the states are those of both machines, without the box and without what means outside of it", () => {
  const expected = [...statesOf(resourcesMachine), ...statesOf(runtimeMachine)];
  expect(new Set(statesOf(combinedMachine))).toEqual(
    new Set(expected.filter((state) => state !== "Provisioned" && state !== "Absent")),
  );
});

test("the way into the box leads to where the inner machine begins", () => {
  const facts = { ...calm, desired: "Provisioned", compute: "ready" };
  expect(step(combinedMachine, { state: "Provisioning", facts }, observed).state).toBe("Initializing");
});

test("what ends the box ends whatever goes on inside", () => {
  for (const state of statesOf(runtimeMachine).filter((inside) => inside !== "Absent")) {
    const leaving = edgesOf(combinedMachine).filter((edge) => edge.from === state && edge.to === "Stopping");
    const boxed = edgesOf(resourcesMachine).filter((edge) => edge.from === "Provisioned" && edge.to === "Stopping");
    expect(leaving).toHaveLength(boxed.length);
  }
});
