import { createDeflate, createInflate, constants, type Deflate, type Inflate } from "node:zlib";
import { createPipe, type Pipe } from "@/server/sandbox/programs/pipe";
import { type UpgradeRequest } from "./connects";
import { spdyDictionary } from "./spdy-dictionary";

/** One of the streams that a client opens inside the connection. */
export type SpdyStream = {
  id: number;
  headers: Readonly<Record<string, string>>;
  input: Pipe;
  accept(): void;
  write(chunk: Buffer | string): void;
  end(): void;
  reset(): void;
};

export type SpdySession = {
  onStream(listener: (stream: SpdyStream) => void): void;
  closed: Promise<void>;
  close(): void;
  /** Closes when the client has ended, or soon. */
  closeWhenQuiet(): void;
};

/** What carries the frames: a socket after its upgrade, or a WebSocket around them. */
export type SpdyCarrier = {
  write(frame: Buffer): void;
  onData(listener: (data: Buffer) => void): void;
  onClose(listener: () => void): void;
  close(): void;
};

const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const FIN = 1;
const HEADER = 8;
const QUIET_MS = 2_000;

/** Answers the upgrade and speaks SPDY/3.1 on the socket. */
export function acceptSpdy({ socket, head, request }: UpgradeRequest, protocol: string): SpdySession {
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
  );
  // Requests that are upgraded may still have their body, which is the beginning of the stream.
  request.resume();
  return createSpdySession({
    write: (frame) => (socket.writable ? void socket.write(frame) : undefined),
    onData: (listener) => {
      if (head.length > 0) listener(head);
      socket.on("data", listener);
    },
    onClose: (listener) => void socket.on("close", listener).on("error", listener),
    close: () => socket.end(),
  });
}

/** The server's side of SPDY/3.1, as far as Kubernetes uses it: streams that clients open, data, pings, resets. */
export function createSpdySession(carrier: SpdyCarrier): SpdySession {
  const streams = new Map<number, { stream: SpdyStream; ended: boolean }>();
  const listeners: ((stream: SpdyStream) => void)[] = [];
  const early: SpdyStream[] = [];
  const inflate = createInflate({ dictionary: spdyDictionary, finishFlush: constants.Z_SYNC_FLUSH });
  const deflate = createDeflate({ dictionary: spdyDictionary });
  let buffer: Buffer = Buffer.alloc(0);
  let sending = Promise.resolve();
  let receiving = Promise.resolve();
  let markClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (markClosed = resolve));

  // Frames leave in the order they were asked for, also while headers are being compressed.
  const send = (frame: Buffer | (() => Promise<Buffer>)) => {
    sending = sending
      .then(async () => carrier.write(typeof frame === "function" ? await frame() : frame))
      .catch(() => undefined);
  };

  function openStream(id: number, headers: Record<string, string>): SpdyStream {
    const entry: { stream: SpdyStream; ended: boolean } = { ended: false, stream: undefined as unknown as SpdyStream }; // filled in below, before anybody sees it
    entry.stream = {
      id,
      headers,
      input: createPipe(),
      accept: () =>
        send(async () =>
          controlFrame(SYN_REPLY, 0, Buffer.concat([uint32(id), await pressed(deflate, headerBlock({}))])),
        ),
      write: (chunk) => {
        if (!entry.ended && chunk.length > 0) send(dataFrame(id, 0, Buffer.from(chunk)));
      },
      end: () => {
        if (entry.ended) return;
        entry.ended = true;
        send(dataFrame(id, FIN, Buffer.alloc(0)));
      },
      reset: () => {
        entry.ended = true;
        entry.stream.input.end();
        streams.delete(id);
        send(controlFrame(RST_STREAM, 0, Buffer.concat([uint32(id), uint32(5)])));
      },
    };
    streams.set(id, entry);
    return entry.stream;
  }

  const onControl: Record<number, (flags: number, body: Buffer) => Promise<void> | void> = {
    [SYN_STREAM]: async (flags, body) => {
      const id = body.readUInt32BE(0) & 0x7fffffff;
      const stream = openStream(id, headersOf(await pressed(inflate, body.subarray(10))));
      if (flags & FIN) stream.input.end();
      if (listeners.length === 0) early.push(stream);
      listeners.forEach((listener) => listener(stream));
    },
    [RST_STREAM]: (_flags, body) => {
      const id = body.readUInt32BE(0) & 0x7fffffff;
      const entry = streams.get(id);
      if (entry) entry.ended = true;
      entry?.stream.input.end();
      streams.delete(id);
    },
    [PING]: (_flags, body) => send(controlFrame(PING, 0, body)),
    [GOAWAY]: () => undefined,
  };

  async function take(frame: Buffer) {
    const body = frame.subarray(HEADER);
    const flags = frame.readUInt8(4);
    if (frame.readUInt8(0) & 0x80) return onControl[frame.readUInt16BE(2)]?.(flags, body);
    const entry = streams.get(frame.readUInt32BE(0) & 0x7fffffff);
    if (body.length > 0) entry?.stream.input.write(body);
    if (flags & FIN) entry?.stream.input.end();
  }

  carrier.onData((data) => {
    buffer = buffer.length === 0 ? data : Buffer.concat([buffer, data]);
    while (buffer.length >= HEADER) {
      const length = HEADER + (buffer.readUInt32BE(4) & 0xffffff);
      if (buffer.length < length) break;
      const frame = Buffer.from(buffer.subarray(0, length));
      buffer = buffer.subarray(length);
      receiving = receiving.then(() => take(frame)).catch(() => carrier.close());
    }
  });
  carrier.onClose(() => {
    streams.forEach(({ stream }) => stream.input.end());
    markClosed();
  });

  return {
    onStream: (listener) => {
      listeners.push(listener);
      early.splice(0).forEach(listener);
    },
    closed,
    close: () => void sending.then(() => carrier.close()),
    closeWhenQuiet: () => {
      const timer = setTimeout(() => carrier.close(), QUIET_MS);
      void closed.then(() => clearTimeout(timer));
    },
  };
}

/** One piece through a compressor that keeps what it learned for the next piece. */
function pressed(through: Inflate | Deflate, input: Buffer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const collect = (chunk: Buffer) => void chunks.push(chunk);
  through.on("data", collect);
  return new Promise((resolve, reject) => {
    through.once("error", reject);
    through.write(input);
    through.flush(constants.Z_SYNC_FLUSH, () => {
      through.off("data", collect);
      through.off("error", reject);
      resolve(Buffer.concat(chunks));
    });
  });
}

function headersOf(block: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  let at = 4;
  const text = () => {
    const length = block.readUInt32BE(at);
    at += 4 + length;
    return block.subarray(at - length, at).toString();
  };
  for (let left = block.readUInt32BE(0); left > 0; left -= 1) {
    const name = text().toLowerCase();
    headers[name] = text();
  }
  return headers;
}

function headerBlock(headers: Record<string, string>): Buffer {
  const pairs = Object.entries(headers).flatMap(([name, value]) => [
    uint32(name.length),
    Buffer.from(name),
    uint32(value.length),
    Buffer.from(value),
  ]);
  return Buffer.concat([uint32(Object.keys(headers).length), ...pairs]);
}

function controlFrame(type: number, flags: number, body: Buffer): Buffer {
  const header = Buffer.alloc(HEADER);
  header.writeUInt16BE(0x8003, 0);
  header.writeUInt16BE(type, 2);
  header.writeUInt32BE(body.length, 4);
  header.writeUInt8(flags, 4);
  return Buffer.concat([header, body]);
}

function dataFrame(id: number, flags: number, body: Buffer): Buffer {
  const header = Buffer.alloc(HEADER);
  header.writeUInt32BE(id, 0);
  header.writeUInt32BE(body.length, 4);
  header.writeUInt8(flags, 4);
  return Buffer.concat([header, body]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
