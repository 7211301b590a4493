import { addressOf, messageAt } from "@/server/sandbox/schema/builtin-messages";
import { type Field, type Message } from "@/server/sandbox/schema/parse-table";

type Wire = { number: number; value: bigint | Buffer };

const MAGIC = Buffer.from("k8s\0");

/** `k8s\0` and a runtime.Unknown around the object: what kubectl posts for built-in kinds. Null when it is not that. */
export function openEnvelope(body: Buffer): { apiVersion: string; kind: string; raw: Buffer } | null {
  if (!body.subarray(0, 4).equals(MAGIC)) return null;
  const envelope = fieldsIn(body.subarray(4));
  const typeMeta = fieldsIn(bytesOf(envelope, 1));
  return {
    apiVersion: bytesOf(typeMeta, 1).toString(),
    kind: bytesOf(typeMeta, 2).toString(),
    raw: bytesOf(envelope, 2),
  };
}

/** A message as the JSON that it stands for. */
export function decodeProtobuf(address: string, bytes: Buffer): Record<string, unknown> {
  const message = messageAt(address);
  if (!message) throw new Error(`The schema tables have no ${address}`);
  return decodeMessage(address.slice(0, address.indexOf(".")), message, bytes);
}

function decodeMessage(table: string, message: Message, bytes: Buffer): Record<string, unknown> {
  const byNumber = new Map(message.fields.map((field) => [field.number, field]));
  const result: Record<string, unknown> = {};
  for (const wire of fieldsIn(bytes)) {
    const field = byNumber.get(wire.number);
    if (field) put(result, field, table, wire);
  }
  return result;
}

function put(result: Record<string, unknown>, field: Field, table: string, { value }: Wire) {
  if (field.shape === "map") {
    const entry = fieldsIn(asBytes(value));
    const inner = entry.find(({ number }) => number === 2)?.value ?? Buffer.alloc(0);
    const map = (result[field.name] ??= {});
    Reflect.set(map, bytesOf(entry, 1).toString(), decodeValue(table, field.type, inner));
    return;
  }
  const decoded = decodeValue(table, field.type, value);
  if (field.inline) Object.assign(result, decoded);
  else if (field.shape === "list") {
    const list = result[field.name];
    if (Array.isArray(list)) list.push(decoded);
    else result[field.name] = [decoded];
  } else if (decoded !== undefined && decoded !== "") result[field.name] = decoded;
}

function decodeValue(table: string, type: string, value: bigint | Buffer): unknown {
  const scalar = scalars[type];
  if (scalar) return scalar(value);
  const address = addressOf(table, type);
  return decodeProtobuf(address, asBytes(value));
}

const scalars: Readonly<Record<string, (value: bigint | Buffer) => unknown>> = {
  s: (value) => asBytes(value).toString("utf8"),
  i: (value) => Number(BigInt.asIntN(64, asNumber(value))),
  l: (value) => Number(BigInt.asIntN(64, asNumber(value))),
  b: (value) => asNumber(value) !== 0n,
  d: (value) => (Buffer.isBuffer(value) ? value.readDoubleLE() : Number(value)),
  y: (value) => asBytes(value).toString("base64"),
  Q: (value) => bytesOf(fieldsIn(asBytes(value)), 1).toString(),
  T: (value) => timeOf(asBytes(value), 0),
  M: (value) => timeOf(asBytes(value), 6),
  D: (value) => `${Number(numberOf(fieldsIn(asBytes(value)), 1)) / 1e9}s`,
  X: (value) => intOrString(asBytes(value)),
  R: (value) => jsonIn(bytesOf(fieldsIn(asBytes(value)), 1)),
  F: (value) => jsonIn(bytesOf(fieldsIn(asBytes(value)), 1)),
  V: (value) => fieldsIn(asBytes(value)).map((item) => asBytes(item.value).toString()),
};

function timeOf(bytes: Buffer, digits: number): string | undefined {
  if (bytes.length === 0) return undefined;
  const fields = fieldsIn(bytes);
  const iso = new Date(Number(numberOf(fields, 1)) * 1_000).toISOString().slice(0, 19);
  const fraction = String(numberOf(fields, 2)).padStart(9, "0").slice(0, digits);
  return digits === 0 ? `${iso}Z` : `${iso}.${fraction}Z`;
}

function intOrString(bytes: Buffer): string | number {
  const fields = fieldsIn(bytes);
  return numberOf(fields, 1) === 0n ? Number(numberOf(fields, 2)) : bytesOf(fields, 3).toString();
}

function jsonIn(bytes: Buffer): unknown {
  return bytes.length === 0 ? undefined : (JSON.parse(bytes.toString("utf8")) as unknown);
}

function bytesOf(fields: readonly Wire[], number: number): Buffer {
  const found = fields.find((field) => field.number === number)?.value;
  return Buffer.isBuffer(found) ? found : Buffer.alloc(0);
}

function numberOf(fields: readonly Wire[], number: number): bigint {
  const found = fields.find((field) => field.number === number)?.value;
  return typeof found === "bigint" ? BigInt.asIntN(64, found) : 0n;
}

function asBytes(value: bigint | Buffer): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

function asNumber(value: bigint | Buffer): bigint {
  return Buffer.isBuffer(value) ? 0n : value;
}

/** The fields of a message in the order of the bytes. Throws a RangeError when they end too soon. */
function fieldsIn(bytes: Buffer): Wire[] {
  const fields: Wire[] = [];
  let at = 0;
  function varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) break;
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("unexpected EOF");
  }
  function take(length: number): Buffer {
    if (at + length > bytes.length) throw new RangeError("unexpected EOF");
    at += length;
    return bytes.subarray(at - length, at);
  }
  const readers: Readonly<Record<number, () => bigint | Buffer>> = {
    0: varint,
    1: () => take(8),
    2: () => take(Number(varint())),
    5: () => take(4),
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const read = readers[tag & 7];
    if (!read) throw new RangeError(`illegal wire type ${tag & 7}`);
    fields.push({ number: tag >> 3, value: read() });
  }
  return fields;
}
