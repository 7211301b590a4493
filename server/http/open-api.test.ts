import { expect, test } from "vitest";
import { z } from "zod";
import { openApi } from "./open-api";
import { procedures } from "./procedures";

type Schema = { [part: string]: unknown };
const contentSchema = z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) }));
const operationSchema = z.object({
  summary: z.string().min(10),
  parameters: z.array(z.object({ required: z.boolean(), content: contentSchema })).optional(),
  requestBody: z.object({ required: z.boolean(), content: contentSchema }).optional(),
  responses: z.record(z.string(), z.object({ content: contentSchema })),
});
const documentSchema = z.object({
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
});

const text = JSON.stringify(openApi("test"));
const document = documentSchema.parse(JSON.parse(text));

test("every procedure is in the OpenAPI document, by its name", () => {
  expect(Object.keys(document.paths)).toEqual([...procedures.keys()].map((path) => `/${path}`));
});

test("each way to call it tells its input, where it takes one, and its one answer", () => {
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, { parameters, requestBody, responses }] of Object.entries(operations)) {
      const input = procedures.get(path.slice(1))?.input ?? null;
      const asked = method === "get" ? parameters?.[0] : requestBody;
      expect(Object.keys(asked?.content ?? {}), path).toEqual(input ? ["application/json"] : []);
      // What may be left out may be left out whole.
      if (asked) expect(asked.required, path).toBe(!input?.safeParse(undefined).success);
      expect(Object.keys(responses["200"]?.content ?? {}), path).toHaveLength(1);
      expect(Object.keys(responses.default?.content ?? {}), path).toEqual(["application/json"]);
    }
});

test("nothing in it is left open without a word on what it is", () => {
  const schemas = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.values(operations).flatMap(({ parameters = [], requestBody, responses }) =>
      [...parameters, ...(requestBody ? [requestBody] : []), ...Object.values(responses)].flatMap(({ content }) =>
        Object.values(content).map(({ schema }) => [path, schema] as const),
      ),
    ),
  );
  const open = [...schemas, ...Object.entries(document.components.schemas)].flatMap(([at, schema]) =>
    vagueIn(schema, at),
  );
  expect(open).toEqual([]);
});

test("every reference in it leads to a schema in it", () => {
  const names = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = ""]) =>
    ref.replace("#/components/schemas/", ""),
  );
  expect(names.length).toBeGreaterThan(0);
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining([...new Set(names)]));
});

/** Where a schema allows anything and neither it nor what holds it says what that is. */
function vagueIn(schema: unknown, at: string, said = false): string[] {
  if (typeof schema !== "object" || schema === null) return schema === true && !said ? [at] : [];
  const { description, ...parts } = schema as Schema;
  const isSaid = said || description !== undefined;
  if (Object.keys(parts).every((part) => part === "default")) return isSaid ? [] : [at];
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = parts;
  return [
    ...Object.entries(properties as Schema).flatMap(([name, part]) => vagueIn(part, `${at}.${name}`)),
    ...(items === undefined ? [] : vagueIn(items, `${at}[]`, isSaid)),
    ...(additionalProperties === undefined ? [] : vagueIn(additionalProperties, `${at}{}`, isSaid)),
    ...[anyOf, oneOf, allOf].flatMap((all) => (all as unknown[]).flatMap((part) => vagueIn(part, at, isSaid))),
  ];
}
