import { expect, test } from "vitest";
import type { EventAnswer } from "../answers";
import { sameEvents } from "./same-events";

const warned = (id: string, name: string, count: number, [firstSeen, lastSeen]: [string, string]) =>
  ({
    id,
    reason: "FailedCreate",
    message: "no",
    count,
    firstSeen,
    lastSeen,
    object: { kind: "Pod", name },
  }) as EventAnswer;

test("a warning that the cluster told in several events is one, counted together from the first to the last", () => {
  const all = [
    warned("3", "a", 12, ["2026-01-03", "2026-01-04"]),
    warned("2", "b", 1, ["2026-01-02", "2026-01-02"]),
    warned("1", "a", 20, ["2026-01-01", "2026-01-02"]),
  ];
  expect(sameEvents(all)).toEqual([{ ...all[0], count: 32, firstSeen: "2026-01-01", lastSeen: "2026-01-04" }, all[1]]);
});
