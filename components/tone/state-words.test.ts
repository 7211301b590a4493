import { expect, test } from "vitest";
import { stateWords } from "./state-words";

const stopped = { state: "Stopped", tone: "idle", since: null } as const;
const failed = { state: "SqlError", tone: "bad", since: null } as const;

test("a state that looks bad because of another lifecycle is told with that one's state", () => {
  expect(stateWords({ state: "Stopped", tone: "bad", lifecycles: { combined: stopped, program: failed } })).toBe(
    "Stopped · SqlError",
  );
});

test("a state that looks as it is, or late, or that waits in trouble, is told alone", () => {
  expect(stateWords({ state: "SqlError", tone: "bad", lifecycles: { program: failed } })).toBe("SqlError");
  expect(stateWords({ state: "Stopped", tone: "idle", lifecycles: { combined: stopped } })).toBe("Stopped");
  const busy = { state: "creating", tone: "busy", since: null } as const;
  expect(stateWords({ state: "creating", tone: "warn", lifecycles: { phase: busy } })).toBe("creating");
});
