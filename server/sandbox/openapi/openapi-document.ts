import { createDefinitions } from "@/server/sandbox/openapi/definitions";
import { operationsOf } from "@/server/sandbox/openapi/operations";
import { type TypeRegistry } from "@/server/sandbox/type-registry";

/** OpenAPI v3 of one group version; `root` is `api/v1` or `apis/<group>/<version>`. */
export function openApiDocument(types: TypeRegistry, root: string) {
  const [, ...names] = root.split("/");
  const [group = "", version = ""] = names.length === 1 ? ["", names[0]] : names;
  const { definitions, addKind, shown } = createDefinitions("#/components/schemas/");
  const paths: Record<string, unknown> = {};
  for (const type of types.all().filter((known) => known.group === group && known.version === version)) {
    const ref = `#/components/schemas/${addKind(type)}`;
    const content = { "application/json": { schema: { $ref: ref } } };
    Object.assign(
      paths,
      operationsOf(type, {
        parameter: (name, place, kind) => ({
          name,
          in: place,
          schema: { type: kind },
          ...(place === "path" ? { required: true } : {}),
        }),
        body: (verb) => ({
          requestBody: {
            content:
              verb === "patch" ? { "application/merge-patch+json": { schema: shown({ type: "object" }) } } : content,
          },
        }),
        answer: () => ({ description: "OK", content }),
      }),
    );
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.32.0" },
    paths,
    components: { schemas: definitions },
  };
}
