import { type KubernetesObject } from "@/server/kubernetes/object";
import { isRecord } from "@/server/sandbox/json";
import { badRequestError, mediaTypes, unsupportedMediaTypeError } from "@/server/sandbox/status-error";
import { apiVersionOf } from "@/server/sandbox/type-registry";

/** Far deeper than any object is, and far from where a recursion would run out of stack. */
const DEPTH_MAX = 1_000;
/** The parser of YAML needs many frames for a level, and takes the process with it when they run out. */
const YAML_DEPTH_MAX = 250;

/** A body as a JSON value, from JSON or YAML. */
export async function decodeBody(body: Buffer, contentType: string | undefined): Promise<unknown> {
  const mediaType = (contentType ?? "application/json").split(";")[0]?.trim() ?? "";
  if (mediaType === "application/yaml" || mediaType.endsWith("+yaml")) return parseYaml(body.toString("utf8"));
  if (
    mediaType !== "application/json" &&
    mediaType !== "" &&
    !mediaType.endsWith("+json") &&
    mediaType !== "text/plain"
  ) {
    throw unsupportedMediaTypeError(mediaTypes);
  }
  return parseJson(body.toString("utf8"));
}

export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw badRequestError("json: exceeded max depth");
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badRequestError(`couldn't get version/kind; json parse error: ${why}`);
  }
}

/** Most of it is JSON, which is YAML too and parsed many times faster. */
async function parseYaml(text: string): Promise<unknown> {
  if (text.startsWith("{") && !isTooDeep(text)) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      // A flow mapping of YAML then, or something wrong that the other parser words.
    }
  }
  if (yamlDepthOf(text) > YAML_DEPTH_MAX) throw badRequestError("error converting YAML to JSON: exceeded max depth");
  const { parse } = await import("yaml");
  try {
    // Through JSON, as the real one does: dates become text, and what contains itself is refused.
    return JSON.parse(JSON.stringify(parse(text, { maxAliasCount: 100 }) ?? null)) as unknown;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badRequestError(`error converting YAML to JSON: ${why}`);
  }
}

/** The object in a body; `kind` and `apiVersion` may be left out, but not be something else. */
export function objectOf(value: unknown, type: { group: string; version: string; kind: string }): KubernetesObject {
  if (!isRecord(value)) {
    throw badRequestError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal into Go value of type struct { APIVersion string; Kind string }`,
    );
  }
  const { apiVersion = "", kind = "", metadata } = value;
  const wanted = apiVersionOf(type);
  if ((kind !== "" && kind !== type.kind) || (apiVersion !== "" && apiVersion !== wanted)) {
    const got = `${String(apiVersion)}, Kind=${String(kind)}`;
    throw badRequestError(
      `the object provided is unrecognized (must be of type ${type.kind}): couldn't match ${got} to ${wanted}, Kind=${type.kind}`,
    );
  }
  if (metadata !== undefined && metadata !== null && !isRecord(metadata)) {
    throw badRequestError(
      `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: json: cannot unmarshal metadata into Go struct field of type v1.ObjectMeta`,
    );
  }
  const name = isRecord(metadata) ? (metadata["name"] ?? "") : "";
  if (typeof name !== "string") {
    throw badRequestError(
      `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: json: cannot unmarshal ${typeof name} into Go struct field ObjectMeta.metadata.name of type string`,
    );
  }
  return {
    ...value,
    apiVersion: wanted,
    kind: type.kind,
    metadata: hasName(metadata) ? metadata : { ...metadata, name: "" },
  };
}

function hasName(metadata: object | null | undefined): metadata is { name: string } {
  return isRecord(metadata) && typeof metadata["name"] === "string";
}

/** A text that is shorter than the depth cannot be so deep. */
function isTooDeep(text: string): boolean {
  return text.length > DEPTH_MAX && depthOf(text) > DEPTH_MAX;
}

/** How deep the brackets go, without building anything. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 92) i += 1;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 123 || code === 91) deepest = Math.max(deepest, (depth += 1));
    else if (code === 125 || code === 93) depth -= 1;
  }
  return deepest;
}

/** At least as deep as YAML goes: by its indentation and its dashes, and by all its brackets, those in strings too. */
function yamlDepthOf(text: string): number {
  const indents: number[] = [];
  let deepest = 0;
  let brackets = 0;
  for (const line of text.split("\n")) {
    const lead = /^[ ]*(?:[-?:][ \t]+)*/.exec(line)?.[0] ?? "";
    const columns = [...lead.matchAll(/[-?:]/g)].map(({ index }) => index);
    for (const column of [...columns, lead.length]) {
      while ((indents.at(-1) ?? -1) >= column) indents.pop();
      indents.push(column);
    }
    let open = 0;
    for (const sign of line) {
      if (sign === "[" || sign === "{") brackets += 1;
      else if (sign === "]" || sign === "}") brackets = Math.max(0, brackets - 1);
      open = Math.max(open, brackets);
    }
    deepest = Math.max(deepest, indents.length + open);
  }
  return deepest;
}
