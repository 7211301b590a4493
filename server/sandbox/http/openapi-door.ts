import { createHash } from "node:crypto";
import { type IncomingMessage, type ServerResponse } from "node:http";
import { type Cluster } from "@/server/sandbox/cluster";
import { respondJson, respondText } from "@/server/sandbox/http/respond";
import { type TypeRegistry } from "@/server/sandbox/type-registry";

const V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const V2_PROTOBUF_ASKED = /application\/com\.github\.proto-openapi\.spec\.v2[.@]v1\.0\+protobuf/;

/** The documents are made when they are first asked for, and again after the types have changed. */
export async function openApiDoor(
  { types }: Cluster,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { swaggerDocument } = await import("@/server/sandbox/openapi/swagger-document");
  const { openApiDocument } = await import("@/server/sandbox/openapi/openapi-document");
  if (path === "/openapi/v2") {
    const document = cached(types, path, () => swaggerDocument(types));
    if (!V2_PROTOBUF_ASKED.test(request.headers.accept ?? "")) {
      respondJson(response, 200, document);
      return;
    }
    const { encodeSwagger } = await import("@/server/sandbox/openapi/encode-swagger");
    const bytes = cached(types, `${path} protobuf`, () => encodeSwagger(document));
    response.writeHead(200, { "content-type": V2_PROTOBUF, "content-length": bytes.length });
    response.end(bytes);
    return;
  }
  if (path === "/openapi/v3") {
    respondJson(response, 200, { paths: rootPaths(types) });
    return;
  }
  const root = path.slice("/openapi/v3/".length);
  if (!versionRoots(types).includes(root)) {
    respondText(response, 404, "404 page not found\n", { "content-type": "text/plain; charset=utf-8" });
    return;
  }
  respondJson(
    response,
    200,
    cached(types, path, () => openApiDocument(types, root)),
  );
}

/** Each document has a hash in its address, so that clients can keep it for as long as it is true. */
function rootPaths(types: TypeRegistry): Record<string, { serverRelativeURL: string }> {
  const hash = createHash("sha256")
    .update(
      types
        .all()
        .map((type) => `${type.group}/${type.version}/${type.plural}`)
        .join(),
    )
    .update(String(types.revision()))
    .digest("hex")
    .slice(0, 32);
  return Object.fromEntries(
    versionRoots(types).map((root) => [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash.toUpperCase()}` }]),
  );
}

function versionRoots(types: TypeRegistry): string[] {
  return [
    ...new Set(types.all().map(({ group, version }) => (group === "" ? `api/${version}` : `apis/${group}/${version}`))),
  ];
}

const documents = new WeakMap<TypeRegistry, Map<string, { revision: number; value: unknown }>>();

function cached<T>(types: TypeRegistry, key: string, make: () => T): T {
  const known = documents.get(types) ?? new Map<string, { revision: number; value: unknown }>();
  documents.set(types, known);
  const found = known.get(key);
  // What stands under a key was made by the same maker.
  if (found?.revision === types.revision()) return found.value as T;
  const value = make();
  known.set(key, { revision: types.revision(), value });
  return value;
}
