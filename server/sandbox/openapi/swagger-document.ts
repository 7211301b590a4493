import { createDefinitions, type Definition } from "@/server/sandbox/openapi/definitions";
import { operationsOf } from "@/server/sandbox/openapi/operations";
import { type TypeRegistry } from "@/server/sandbox/type-registry";

export type Swagger = {
  swagger: "2.0";
  info: { title: string; version: string };
  paths: Record<string, unknown>;
  definitions: Record<string, Definition>;
};

/** OpenAPI v2 of everything, which kubectl up to 1.26 explains and validates by. */
export function swaggerDocument(types: TypeRegistry): Swagger {
  const { definitions, addKind } = createDefinitions("#/definitions/");
  const paths: Record<string, unknown> = {};
  for (const type of types.all()) {
    const schema = { $ref: `#/definitions/${addKind(type)}` };
    Object.assign(
      paths,
      operationsOf(type, {
        parameter: (name, place, kind) => ({
          name,
          in: place,
          type: kind,
          ...(place === "path" ? { required: true } : {}),
        }),
        body: (verb) => ({
          bodyParameter: {
            name: "body",
            in: "body",
            required: true,
            schema: verb === "patch" ? { type: "object" } : schema,
          },
        }),
        answer: () => ({ description: "OK", schema }),
      }),
    );
  }
  return { swagger: "2.0", info: { title: "Kubernetes", version: "v1.32.0" }, paths, definitions };
}
