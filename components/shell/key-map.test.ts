import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { chooseKey, deedOf, forgetKeys } from "./key-map";

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

// Of an event only these are looked at.
const press = (key: string, shiftKey = false) => ({ key, shiftKey }) as KeyboardEvent;

test("a key does what it is for, with shift too, and what follows another only there", () => {
  expect(deedOf(press("j"))).toBe("next");
  expect(deedOf(press("X", true))).toBe("select");
  expect(deedOf(press("?", true))).toBe("help");
  expect(deedOf(press("o"))).toBeUndefined();
  expect(deedOf(press("o"), { follows: true })).toBe("overview");
});

test("another key can be chosen, the old one is free then, and all come back as they were", () => {
  expect(chooseKey("next", "n")).toBeNull();
  expect(deedOf(press("n"))).toBe("next");
  expect(deedOf(press("j"))).toBeUndefined();
  expect(chooseKey("previous", "j")).toBeNull();
  forgetKeys();
  expect([deedOf(press("j")), deedOf(press("k")), deedOf(press("n"))]).toEqual(["next", "previous", undefined]);
});

test("a key that has a use, or is no sign, is refused by its reason, and nothing changes", () => {
  expect(chooseKey("next", "k")).toBe("k is for “previous row” already.");
  expect(chooseKey("next", "Enter")).toMatch(/^Enter cannot be chosen/);
  expect(chooseKey("next", " ")).toMatch(/^Space cannot be chosen/);
  expect(deedOf(press("j"))).toBe("next");
  // The same sign may follow the key for going somewhere: there it is asked for apart.
  expect(chooseKey("overview", "k")).toBeNull();
});

test("what is stored may be anything", () => {
  localStorage.setItem("orrery-keys", "[1");
  expect(deedOf(press("j"))).toBe("next");
  localStorage.setItem("orrery-keys", JSON.stringify({ next: 7, other: "n" }));
  expect(deedOf(press("j"))).toBe("next");
});
