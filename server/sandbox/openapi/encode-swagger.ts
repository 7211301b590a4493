import { isRecord, listOf, recordOf, textOf } from "@/server/sandbox/json";
import { type Swagger } from "@/server/sandbox/openapi/swagger-document";

/**
 * OpenAPI v2 in the protobuf of gnostic (openapi.v2.Document), the only form in which kubectl reads it.
 * Definitions in full; of the paths, what tells a client which parameters a kind's operations take.
 */
export function encodeSwagger({ info, paths, definitions }: Swagger): Buffer {
  return Buffer.concat([
    text(1, "2.0"),
    message(2, text(1, info.title), text(2, info.version)),
    message(
      8,
      ...Object.entries(paths).map(([name, item]) => message(2, text(1, name), message(2, pathItem(recordOf(item))))),
    ),
    message(9, ...Object.entries(definitions).map(([name, schema]) => named(1, name, schemaBytes(schema)))),
  ]);
}

const METHODS: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, patch: 8 };

function pathItem(item: Record<string, unknown>): Buffer {
  const operations = Object.entries(METHODS).flatMap(([method, number]) => {
    const operation = item[method];
    return isRecord(operation) ? [message(number, operationBytes(operation))] : [];
  });
  return Buffer.concat(operations);
}

function operationBytes(operation: Record<string, unknown>): Buffer {
  const query = listOf(operation["parameters"])
    .map(recordOf)
    .filter((parameter) => parameter["in"] === "query");
  const extensions = ["x-kubernetes-action", "x-kubernetes-group-version-kind"];
  return Buffer.concat([
    text(5, textOf(operation["operationId"])),
    ...query.map((parameter) => message(8, message(1, message(2, message(3, queryParameter(parameter)))))),
    message(9, message(1, text(1, "200"), message(2, message(1, text(1, "OK"))))),
    ...extensions.map((name) => extension(13, name, operation[name])),
  ]);
}

/** QueryParameterSubSchema: in, name, type. */
function queryParameter({ name, type }: Record<string, unknown>): Buffer {
  return Buffer.concat([text(2, "query"), text(4, textOf(name)), text(6, textOf(type))]);
}

function schemaBytes(schema: Record<string, unknown>): Buffer {
  const { $ref, format, description, type, properties, items, additionalProperties, required } = schema;
  const extensions = Object.entries(schema).filter(([key]) => key.startsWith("x-"));
  return Buffer.concat([
    text(1, textOf($ref)),
    text(2, textOf(format)),
    text(4, textOf(description)),
    ...listOf(required).map((name) => text(19, textOf(name))),
    additionalProperties === undefined ? empty : additional(additionalProperties),
    type === undefined ? empty : message(22, text(1, textOf(type))),
    isRecord(items) ? message(23, message(1, schemaBytes(items))) : empty,
    isRecord(properties)
      ? message(25, ...Object.entries(properties).map(([name, inner]) => named(1, name, schemaBytes(recordOf(inner)))))
      : empty,
    ...extensions.map(([name, value]) => extension(31, name, value)),
  ]);
}

function additional(value: unknown): Buffer {
  return message(
    21,
    isRecord(value) ? message(1, schemaBytes(value)) : Buffer.from([(2 << 3) | 0, value === true ? 1 : 0]),
  );
}

/** NamedAny: the value as YAML, of which JSON is a part. */
function extension(number: number, name: string, value: unknown): Buffer {
  return value === undefined
    ? empty
    : message(number, text(1, name), message(2, text(2, `${JSON.stringify(value)}\n`)));
}

const empty = Buffer.alloc(0);

function named(number: number, name: string, value: Buffer): Buffer {
  return message(number, text(1, name), message(2, value));
}

function text(number: number, value: string): Buffer {
  return value === "" ? empty : message(number, Buffer.from(value));
}

function message(number: number, ...parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([varint((number << 3) | 2), varint(length), ...parts]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}
