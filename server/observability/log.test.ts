import { expect, test } from "vitest";
import { createLog, redactText } from "./log";

function setUp(level: "debug" | "info" = "debug") {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ level, now: () => 0, write: (line) => lines.push(JSON.parse(line) as (typeof lines)[0]) });
  return { log, lines };
}

test("every line is one JSON object with the fields of its logger", () => {
  const { log, lines } = setUp();
  log.with({ pass: "p1", kind: "firebolt.engine", key: "n/a" }).info("step", { from: "a", to: "b" });
  expect(lines).toEqual([
    {
      time: "1970-01-01T00:00:00.000Z",
      level: "info",
      message: "step",
      pass: "p1",
      kind: "firebolt.engine",
      key: "n/a",
      from: "a",
      to: "b",
    },
  ]);
});

test("what is less severe than asked for is left out", () => {
  const { log, lines } = setUp("info");
  log.debug("no");
  log.warn("yes");
  expect(lines.map(({ message }) => message)).toEqual(["yes"]);
});

test("an error keeps its message and stack", () => {
  const { log, lines } = setUp();
  log.error("failed", { error: new TypeError("x is not y") });
  expect(lines[0]).toMatchObject({
    error: { name: "TypeError", message: "x is not y", stack: expect.stringContaining("log.test") },
  });
});

// prettier-ignore
test.each([
  ["Authorization: Bearer abc.def-ghi failed", "Authorization: Bearer (hidden) failed"],
  ["postgres://orrery:hunter2@db:5432/x", "postgres://orrery:(hidden)@db:5432/x"],
  ["token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln was refused", "token (hidden) was refused"],
  ["nothing to hide", "nothing to hide"],
])("%s", (text, redacted) => {
  expect(redactText(text)).toBe(redacted);
});

test("no secret gets into a line, by the name of its field or inside a text", () => {
  const { log, lines } = setUp();
  log.info("with Bearer hunter2", {
    headers: { authorization: "hunter2", Cookie: "hunter2" },
    secret: "hunter2",
    object: { kind: "Secret", data: { a: "hunter2" }, stringData: { a: "hunter2" } },
    error: new Error("GET https://u:hunter2@host failed"),
  });
  expect(JSON.stringify(lines)).not.toContain("hunter2");
});
