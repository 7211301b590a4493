import { describe, expect, test } from "vitest";
import { createSharedStream } from "./shared-stream";

const event = (version: number) =>
  `{"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":"${version}"}}}\n`;
const bytes = (...versions: number[]) => Buffer.from(versions.map(event).join(""));

describe("watchers of one thing", () => {
  test("agree however their bytes are cut", () => {
    const stream = createSharedStream();
    const [whole, cut] = [stream.reader(), stream.reader()];
    for (const byte of bytes(1, 2)) cut.take(Buffer.from([byte]));
    whole.take(bytes(1, 2, 3));
    cut.take(bytes(3));
    expect([whole.count(), cut.count(), whole.agrees(), cut.agrees()]).toEqual([3, 3, true, true]);
    expect(stream.versions()).toEqual([1, 2, 3]);
  });

  test("an event counts when its last byte is there", () => {
    const reader = createSharedStream().reader();
    reader.take(bytes(1).subarray(0, 20));
    expect(reader.count()).toBe(0);
    reader.take(bytes(1).subarray(20));
    expect(reader.count()).toBe(1);
  });

  test.each([
    ["lost", bytes(1, 3)],
    ["brought twice", bytes(1, 1)],
    ["brought too early", bytes(2, 1)],
  ])("one whose event was %s does not agree", (_, got) => {
    const stream = createSharedStream();
    stream.reader().take(bytes(1, 2, 3));
    const odd = stream.reader();
    odd.take(got);
    expect(odd.agrees()).toBe(false);
  });

  test("one that got less has a smaller count", () => {
    const stream = createSharedStream();
    stream.reader().take(bytes(1, 2, 3));
    const slow = stream.reader();
    slow.take(bytes(1, 2));
    expect([slow.count(), slow.agrees()]).toEqual([2, true]);
  });
});
