import { z } from "zod";
import { refusalSchema } from "@/server/resources/refusal";
import { procedures, type Described } from "./procedures";

type Json = Record<string, unknown>;

/** The API as an OpenAPI 3.1 document, made from the very schemas that check each request and each answer. */
export function openApi(version: string): Json {
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
    components: { securitySchemes: { bearer: { type: "http", scheme: "bearer", description: "a Kubernetes token" } } },
    paths: Object.fromEntries(
      [...procedures.values()].map((procedure) => [`/${procedure.path}`, operationsOf(procedure)]),
    ),
  };
}

function operationsOf(procedure: Described): Json {
  const { path, type, description, input } = procedure;
  const operation = {
    summary: description,
    tags: [path.split(".")[0]],
    responses: responsesOf(procedure),
  };
  const schema = input ? jsonSchema(input, "input") : null;
  const post = {
    ...operation,
    operationId: `${path}.post`,
    ...(schema ? { requestBody: { content: { "application/json": { schema } } } } : {}),
  };
  if (type === "mutation") return { post };
  const parameter = schema && { name: "input", in: "query", content: { "application/json": { schema } } };
  const get = { ...operation, operationId: path, ...(parameter ? { parameters: [parameter] } : {}) };
  return type === "query" ? { get, post } : { get };
}

function responsesOf({ type, output, item }: Described): Json {
  const isStream = type === "subscription";
  const schema = isStream ? item : output;
  const media = isStream ? "text/event-stream" : "application/json";
  const content = schema ? { [media]: { schema: jsonSchema(schema, "output") } } : {};
  const refused = {
    description: "refused",
    content: { "application/json": { schema: jsonSchema(z.object({ refusal: refusalSchema }), "output") } },
  };
  return { 200: { description: isStream ? "one event per change" : "the answer", content }, default: refused };
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  return z.toJSONSchema(schema, { io, unrepresentable: "any", target: "draft-2020-12" });
}
