import { expect, test } from "vitest";
import type { AnyStateMachine } from "xstate";
import { edgesOf } from "../edges";
import { observed, statesOf } from "../lifecycle";
import { programTable, resourcesTable, runtimeTable, storageTable } from "./fixtures/status-tables";
import { programMachine } from "./program.machine";
import { resourcesMachine } from "./resources.machine";
import { runtimeMachine } from "./runtime.machine";
import { storageMachine } from "./storage.machine";

/** The ways of a machine from one state to another, in the form of a table. */
function waysOf(machine: AnyStateMachine): Record<string, string[]> {
  return Object.fromEntries(
    statesOf(machine).map((from) => {
      const ways = edgesOf(machine).filter((edge) => edge.from === from && edge.event === observed.type);
      return [from, [...new Set(ways.flatMap(({ to }) => (to && to !== from ? [to] : [])))].sort()];
    }),
  );
}

function sorted(table: Record<string, readonly string[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(table).map(([from, ways]) => [from, [...ways].sort()]));
}

test.each([
  ["resources", resourcesMachine, resourcesTable],
  ["storage", storageMachine, storageTable],
  ["program", programMachine, programTable],
  ["runtime", runtimeMachine, runtimeTable],
])("the %s status moves along every way of its table, and along no other", (_name, machine, table) => {
  expect(waysOf(machine)).toEqual(sorted(table));
});

test("no command moves a status by itself: each changes what is wanted, and the next look moves it", () => {
  for (const machine of [resourcesMachine, storageMachine, runtimeMachine]) {
    const moved = edgesOf(machine).filter(({ event, from, to }) => event !== observed.type && to && to !== from);
    expect(moved).toEqual([]);
  }
});
