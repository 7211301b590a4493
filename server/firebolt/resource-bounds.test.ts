import { describe, expect, test } from "vitest";
import { familyOptions } from "@/server/boot/family-options";
import { parseEnv } from "@/server/env";
import { silentLog } from "@/server/observability/log";
import { boundsFaults } from "./resource-bounds";

const boundsOf = (...args: string[]) => familyOptions(parseEnv({}, args), silentLog).firebolt.bounds ?? {};
const own = { inherited: false };
const path = (list: string, name: string) => `spec.template.spec.containers[engine].resources.${list}.${name}`;

// The dimension, the flag of its maximum, the maximum, a little more, and as much in other words.
const dimensions = [
  ["cpu", "--engine-max-cpu", "32", "32001m", "32000m"],
  ["memory", "--engine-max-memory", "256Gi", "257Gi", "262144Mi"],
  ["ephemeral-storage", "--engine-max-ephemeral-storage", "10Ti", "11Ti", "10240Gi"],
] as const;

describe.each(["requests", "limits"] as const)("of %s", (list) => {
  test.each(dimensions)("%s above the maximum that %s sets is refused by its path", (name, flag, most, more) => {
    expect(boundsFaults({ [list]: { [name]: more } }, boundsOf(flag, most), own)).toEqual([
      { path: path(list, name), message: `${more} exceeds operator-configured maximum ${most}` },
    ]);
  });

  test.each(dimensions)("%s at the maximum that %s sets is let in, however it is written", (name, flag, ...amounts) => {
    const [most, , same] = amounts;
    for (const amount of [most, same])
      expect(boundsFaults({ [list]: { [name]: amount } }, boundsOf(flag, most), own)).toEqual([]);
  });
});

test("dimensions are judged each for itself, and one without a maximum is not", () => {
  const requests = { cpu: "5", memory: "9Gi", "ephemeral-storage": "1Ei", "example.com/gpu": "64" };
  const faults = boundsFaults({ requests, limits: requests }, { cpu: "4", memory: "8Gi" }, own);
  expect(faults.map((fault) => fault.path)).toEqual([
    path("requests", "cpu"),
    path("requests", "memory"),
    path("limits", "cpu"),
    path("limits", "memory"),
  ]);
});

test("by default nothing is too much, and what is no amount is refused all the same", () => {
  const bounds = boundsOf();
  expect(boundsFaults({ limits: { cpu: "1000000", memory: "1Ei" } }, bounds, own)).toEqual([]);
  expect(boundsFaults({ limits: { cpu: "much" } }, bounds, own)).toEqual([
    { path: path("limits", "cpu"), message: '"much" is not a quantity' },
  ]);
});

test("an amount that comes from the class says so", () => {
  const [fault] = boundsFaults({ limits: { cpu: 5 } }, { cpu: "4" }, { inherited: true });
  expect(fault?.message).toBe("5 exceeds operator-configured maximum 4 (inherited from the FireboltEngineClass)");
});
