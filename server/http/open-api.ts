import { z } from "zod";
import { refusalSchema } from "@/server/resources/refusal";
import { procedures, type Described as Procedure } from "./procedures";

type Json = Record<string, unknown>;

/** The API as an OpenAPI 3.1 document, made from the very schemas that check each request and each answer. */
export function openApi(version: string): Json {
  const { schemas, ...made } = (described ??= describe());
  return {
    openapi: "3.1.0",
    info: {
      title: "Orrery",
      version,
      description:
        "Every procedure as plain HTTP. Queries are GET with the input as JSON in the parameter `input`, or POST with it as the body; the rest is POST. Subscriptions are server-sent events.",
    },
    servers: [{ url: "/api/v1" }],
    security: [{ bearer: [] }],
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description: "a Kubernetes token" } },
      schemas,
    },
    ...made,
  };
}

type Described = { paths: Json; schemas: Json };

/** The procedures of a process do not change, and describing them all takes a while. */
let described: Described | undefined;

function describe(): Described {
  const schemas: Json = {};
  const paths = [...procedures.values()].map((procedure) => [`/${procedure.path}`, operationsOf(procedure, schemas)]);
  return { paths: Object.fromEntries(paths) as Json, schemas };
}

function operationsOf(procedure: Procedure, shared: Json): Json {
  const { path, type, description, input } = procedure;
  const operation = {
    summary: description,
    tags: [path.split(".")[0]],
    responses: responsesOf(procedure, shared),
  };
  const schema = input ? jsonSchema(input, "input", shared) : null;
  const required = input !== null && !input.safeParse(undefined).success;
  const post = {
    ...operation,
    operationId: `${path}.post`,
    ...(schema ? { requestBody: { required, content: { "application/json": { schema } } } } : {}),
  };
  if (type === "mutation") return { post };
  const parameter = schema && { name: "input", in: "query", required, content: { "application/json": { schema } } };
  const get = { ...operation, operationId: path, ...(parameter ? { parameters: [parameter] } : {}) };
  return type === "query" ? { get, post } : { get };
}

function responsesOf({ type, output, item }: Procedure, shared: Json): Json {
  const isStream = type === "subscription";
  const schema = isStream ? item : output;
  const media = isStream ? "text/event-stream" : "application/json";
  const content = schema ? { [media]: { schema: jsonSchema(schema, "output", shared) } } : {};
  const refused = {
    description: "refused",
    content: { "application/json": { schema: jsonSchema(refusedSchema, "output", shared) } },
  };
  return { 200: { description: isStream ? "one event per change" : "the answer", content }, default: refused };
}

const refusedSchema = z.object({ refusal: refusalSchema }).meta({ id: "Refused" });

/** What has a name is described once, among the components: a reference reads from the top of the document. */
function jsonSchema(schema: z.ZodType, io: "input" | "output", shared: Json): Json {
  const made = z.toJSONSchema(schema, { io, unrepresentable: "any", target: "draft-2020-12" });
  // The document says once for all of them which kind of schema they are.
  const text = JSON.stringify({ ...made, $schema: undefined }).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $defs = {}, ...own } = JSON.parse(text) as Json & { $defs?: Json };
  Object.assign(shared, $defs);
  return own;
}
