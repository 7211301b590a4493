import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { spdyDictionary } from "./spdy-dictionary";

test("the dictionary is the one that the protocol fixes, byte for byte", () => {
  expect(spdyDictionary.length).toBe(1423);
  // A zlib stream names its dictionary by a checksum; this one is SPDY/3's.
  expect(deflateSync(Buffer.from("x"), { dictionary: spdyDictionary }).subarray(2, 6).toString("hex")).toBe("e3c6a7c2");
});
