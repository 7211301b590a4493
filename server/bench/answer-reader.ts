/** What is told of HTTP/1.1 answers while their bytes come in. `onData` gets a view of the bytes, good until it returns. */
export type AnswerSink = { onStart(status: number): void; onData(bytes: Buffer): void; onEnd(): void };

const [LINE_END, HEAD_END] = ["\r\n", "\r\n\r\n"];

/** Takes the bytes of a connection as they are cut, and tells one answer after the other. */
export function createAnswerReader(sink: AnswerSink): (bytes: Buffer) => void {
  /** The beginning of a head or of a chunk's size, whose end has not come. */
  let rest: Buffer | null = null;
  /** Bytes of the body, or of the current chunk, that are still to come; null before the next head. */
  let missing: number | null = null;
  let chunked = false;

  /** Reads one piece from `at` on; says where the next begins, or -1 when more bytes are needed. */
  function readPiece(bytes: Buffer, at: number): number {
    if (missing === null) return readHead(bytes, at);
    if (missing > 0) return readBody(bytes, at, missing);
    return chunked ? readChunkSize(bytes, at) : endBody(at);
  }

  function readHead(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(HEAD_END, at);
    if (end < 0) return -1;
    const head = bytes.toString("latin1", at, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    chunked = length === undefined;
    missing = Number(length ?? 0);
    sink.onStart(Number(head.slice(9, 12)));
    return end + HEAD_END.length;
  }

  function readBody(bytes: Buffer, at: number, wanted: number): number {
    const end = Math.min(at + wanted, bytes.length);
    sink.onData(bytes.subarray(at, end));
    missing = wanted - (end - at);
    return end;
  }

  function readChunkSize(bytes: Buffer, at: number): number {
    // What ends the chunk before stands in front of the size.
    const from = bytes[at] === 0x0d ? at + LINE_END.length : at;
    const end = bytes.indexOf(LINE_END, from);
    if (end < 0) return -1;
    const size = Number.parseInt(bytes.toString("latin1", from, end), 16);
    if (size > 0) {
      missing = size;
      return end + LINE_END.length;
    }
    return bytes.length < end + HEAD_END.length ? -1 : endBody(end + HEAD_END.length);
  }

  function endBody(at: number): number {
    missing = null;
    sink.onEnd();
    return at;
  }

  return (bytes) => {
    const all = rest ? Buffer.concat([rest, bytes]) : bytes;
    rest = null;
    let at = 0;
    // An answer without a body, or whose last byte has come, ends without another one.
    while (at < all.length || (missing === 0 && !chunked)) {
      const next = readPiece(all, at);
      if (next < 0) {
        rest = Buffer.from(all.subarray(at));
        return;
      }
      at = next;
    }
  };
}
