import { describe, expect, test } from "vitest";
import { createAnswerReader } from "./answer-reader";

const sized = "HTTP/1.1 201 Created\r\nContent-Length: 5\r\nDate: now\r\n\r\nhello";
const empty = "HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n";
const chunked =
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\none\r\n\r\n\r\nb\r\ntwo, three\n\r\n0\r\n\r\n";
const told = ["201", "hello", "end", "204", "end", "200", "one\r\n\r\ntwo, three\n", "end"];

describe("answers on one connection", () => {
  test.each([1, 2, 3, 7, 16, 1_000])("are told one after the other when %i bytes come at a time", (size) => {
    const bytes = Buffer.from(sized + empty + chunked);
    expect(readInPieces(bytes, size)).toEqual(told);
  });

  test("the body is told as it comes, not when it is whole", () => {
    const seen: string[] = [];
    const take = createAnswerReader({
      onStart: () => undefined,
      onData: (bytes) => seen.push(bytes.toString()),
      onEnd: () => seen.push("end"),
    });
    take(Buffer.from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\none"));
    expect(seen).toEqual(["one"]);
  });
});

/** What is told, with the parts of each body put together. */
function readInPieces(bytes: Buffer, size: number): string[] {
  const seen: string[] = [];
  let body = "";
  const take = createAnswerReader({
    onStart: (status) => seen.push(String(status)),
    onData: (part) => (body += part.toString()),
    onEnd: () => {
      if (body !== "") seen.push(body);
      seen.push("end");
      body = "";
    },
  });
  for (let at = 0; at < bytes.length; at += size) take(Buffer.from(bytes.subarray(at, at + size)));
  return seen;
}
