import { expect, test } from "vitest";
import { createEchoes } from "./echoes";

test("the echo of the status that tells of a failure wakes nobody, before or after the answer", () => {
  const echoes = createEchoes();
  echoes.begin("k");
  expect(echoes.heard("k", "9")).toBeNull();
  expect(echoes.end("k", "9", null)).toBeNull();
  echoes.begin("k");
  expect(echoes.end("k", "12", null)).toBeNull();
  expect(echoes.heard("k", "12")).toBeNull();
});

test("the echo of a success brings the next pass, at the priority of the last", () => {
  const echoes = createEchoes();
  echoes.begin("k");
  expect(echoes.end("k", "9", "low")).toBeNull();
  expect(echoes.heard("k", "9")).toBe("low");
  expect(echoes.heard("k", "10")).toBe("normal");
});

test("a change by somebody else is never taken for an echo", () => {
  const echoes = createEchoes();
  echoes.begin("k");
  echoes.heard("k", "8");
  echoes.heard("k", "9");
  expect(echoes.end("k", "9", null)).toBe("normal");
  echoes.begin("k");
  expect(echoes.end("k", "12", null)).toBeNull();
  expect(echoes.heard("k", "11")).toBe("normal");
  expect(echoes.heard("k", undefined)).toBe("normal");
});

test("a pass that wrote nothing has no echo", () => {
  const echoes = createEchoes();
  echoes.begin("k");
  expect(echoes.end("k", undefined, null)).toBeNull();
  expect(echoes.heard("k", "9")).toBe("normal");
});
