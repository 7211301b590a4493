import { describe, expect, test } from "vitest";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { createQueue, type Queue } from "./queue";

function setUp() {
  const clock = createVirtualClock();
  const seen = { ready: 0, adds: 0, retries: 0, waitedMs: [] as number[] };
  const queue = createQueue({
    clock,
    observer: {
      onReady: () => (seen.ready += 1),
      onAdd: () => (seen.adds += 1),
      onRetry: () => (seen.retries += 1),
      onTake: (ms) => seen.waitedMs.push(ms),
    },
  });
  return { clock, queue, seen };
}

function takeAll(queue: Queue): string[] {
  const taken: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) {
    taken.push(key);
    queue.done(key);
  }
  return taken;
}

describe("one key", () => {
  test("is handed out once, however often it was added", () => {
    const { queue } = setUp();
    queue.add("a");
    queue.add("a");
    queue.add("b");
    expect(takeAll(queue)).toEqual(["a", "b"]);
  });

  test("is never with two workers, and runs exactly once more after any number of changes meanwhile", () => {
    const { queue } = setUp();
    queue.add("a");
    expect(queue.take()).toBe("a");
    queue.add("a");
    queue.add("a");
    expect(queue.take()).toBeUndefined();
    queue.done("a");
    expect(takeAll(queue)).toEqual(["a"]);
  });

  test("that is worked on does not block the others", () => {
    const { queue } = setUp();
    queue.add("a");
    queue.add("b");
    expect(queue.take()).toBe("a");
    queue.add("a");
    expect(queue.take()).toBe("b");
    expect(queue.processing()).toBe(2);
  });
});

describe("priority", () => {
  test("a user's change overtakes the start-up flood", () => {
    const { queue } = setUp();
    for (const key of ["a", "b", "c"]) queue.add(key, "low");
    queue.add("user");
    expect(takeAll(queue)).toEqual(["user", "a", "b", "c"]);
  });

  test("a key of the flood that somebody changes moves to the end of the higher level, and never falls back", () => {
    const { queue } = setUp();
    for (const key of ["a", "b", "c"]) queue.add(key, "low");
    queue.add("user");
    queue.add("b");
    queue.add("b", "low");
    expect(takeAll(queue)).toEqual(["user", "b", "a", "c"]);
  });

  test("low keys can be held back while higher ones are handed out", () => {
    const { queue } = setUp();
    queue.add("a", "low");
    expect(queue.take("normal")).toBeUndefined();
    queue.add("b");
    expect(queue.take("normal")).toBe("b");
    expect([queue.ready("low"), queue.ready("normal")]).toEqual([1, 0]);
  });

  test("is kept over retries and delays, and falls back at rest", async () => {
    const { queue, clock } = setUp();
    queue.add("a");
    queue.take();
    queue.retry("a", () => 1_000);
    queue.done("a");
    await clock.advance(1_000);
    expect(queue.ready("normal")).toBe(1);
    expect(queue.take()).toBe("a");
    queue.forget("a");
    queue.done("a");
    queue.add("a", "low");
    expect([queue.ready("low"), queue.ready("normal")]).toEqual([1, 0]);
  });
});

describe("delays", () => {
  test("the earliest time wins", async () => {
    const { queue, clock } = setUp();
    queue.addAfter("a", 10_000);
    queue.addAfter("a", 3_000);
    queue.addAfter("a", 60_000);
    await clock.advance(2_999);
    expect(queue.take()).toBeUndefined();
    await clock.advance(1);
    expect(takeAll(queue)).toEqual(["a"]);
    await clock.advance(120_000);
    expect(queue.take()).toBeUndefined();
  });

  test("a change ends the wait", async () => {
    const { queue, clock } = setUp();
    queue.addAfter("a", 60_000);
    queue.add("a");
    expect(takeAll(queue)).toEqual(["a"]);
    await clock.advance(60_000);
    expect(takeAll(queue)).toEqual([]);
  });

  test("many delayed keys become ready in the order of their times", async () => {
    const { queue, clock } = setUp();
    const delays = Array.from({ length: 500 }, (_, index) => ((index * 7_919) % 500) + 1);
    delays.forEach((delay, index) => queue.addAfter(`k${index}`, delay));
    for (let index = 0; index < 500; index += 3) queue.addAfter(`k${index}`, 1_000);
    await clock.advance(500);
    const order = takeAll(queue).map((key) => delays[Number(key.slice(1))] ?? 0);
    expect(order).toEqual([...delays].sort((a, b) => a - b));
    expect(queue.waiting()).toBe(0);
  });

  test("a delay that passes while the key is worked on brings one more run", async () => {
    const { queue, clock } = setUp();
    queue.add("a");
    queue.take();
    queue.addAfter("a", 1_000);
    await clock.advance(1_000);
    expect(queue.take()).toBeUndefined();
    queue.done("a");
    expect(takeAll(queue)).toEqual(["a"]);
  });

  test("nothing waits for time in an empty queue", async () => {
    const { queue, clock } = setUp();
    queue.addAfter("a", 5_000);
    await clock.advance(5_000);
    takeAll(queue);
    expect(clock.nextInMs()).toBeNull();
  });
});

describe("failures", () => {
  test("the delay grows with each failure of a key and starts over after a success", async () => {
    const { queue, clock, seen } = setUp();
    const delays: number[] = [];
    const fail = () => {
      expect(queue.take()).toBe("a");
      delays.push(queue.retry("a", (failures) => failures * 100));
      queue.done("a");
    };
    queue.add("a");
    fail();
    await clock.advance(100);
    fail();
    await clock.advance(200);
    expect(queue.take()).toBe("a");
    queue.forget("a");
    queue.done("a");
    queue.add("a");
    fail();
    expect(delays).toEqual([100, 200, 100]);
    expect(seen.retries).toBe(3);
  });

  test("without a delay it is ready as soon as the worker is done with it", () => {
    const { queue } = setUp();
    queue.add("a");
    queue.take();
    queue.retry("a", () => 0);
    queue.done("a");
    expect(queue.take()).toBe("a");
  });
});

describe("the end", () => {
  test("a dropped key leaves nothing behind, unless it was added again", async () => {
    const { queue, clock } = setUp();
    queue.add("a");
    queue.take();
    queue.addAfter("a", 1_000);
    queue.drop("a");
    queue.done("a");
    await clock.advance(1_000);
    expect(takeAll(queue)).toEqual([]);
    queue.add("b");
    queue.take();
    queue.drop("b");
    queue.add("b");
    queue.done("b");
    expect(takeAll(queue)).toEqual(["b"]);
  });

  test("a closed queue takes nothing in and hands nothing out", async () => {
    const { queue, clock } = setUp();
    queue.add("a");
    queue.addAfter("b", 10);
    queue.close();
    queue.add("c");
    await clock.advance(10);
    expect(queue.take()).toBeUndefined();
    expect(clock.nextInMs()).toBeNull();
  });
});

test("ready keys, adds and waiting times are told", async () => {
  const { queue, clock, seen } = setUp();
  queue.add("a");
  await clock.advance(250);
  queue.take();
  expect(seen).toMatchObject({ ready: 1, adds: 1, waitedMs: [250] });
});
