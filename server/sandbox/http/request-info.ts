/** What a URL asks for, before anybody knows whether it exists. */
export type RequestInfo =
  | { resource: false; path: string }
  | {
      resource: true;
      group: string;
      version: string;
      plural: string;
      namespace?: string;
      name?: string;
      subresource?: string;
      /** What follows the subresource: the path of a proxy. */
      rest: string;
      /** The deprecated `/watch/` prefix. */
      watchPrefix: boolean;
    };

const NAMESPACE_SUBRESOURCES = new Set(["status", "finalize"]);

export function requestInfoOf(path: string): RequestInfo {
  const split = path.slice(1).split("/");
  // Slashes too many are none.
  const parts = split.includes("") ? split.filter((part) => part !== "") : split;
  const start = parts[0] === "api" ? 2 : parts[0] === "apis" ? 3 : Infinity;
  if (parts.length <= start) return { resource: false, path };
  const group = start === 2 ? "" : decode(parts[1]);
  const version = decode(parts[start - 1]);
  let tail = parts.slice(start);
  const watchPrefix = tail[0] === "watch";
  if (watchPrefix) tail = tail.slice(1);

  let namespace: string | undefined;
  const inNamespace =
    tail[0] === "namespaces" && tail.length > 2 && !(tail.length === 3 && NAMESPACE_SUBRESOURCES.has(tail[2] ?? ""));
  if (inNamespace) {
    namespace = decode(tail[1]);
    tail = tail.slice(2);
  }
  const [plural = "", name, subresource, ...rest] = tail;
  if (plural === "") return { resource: false, path };
  return {
    resource: true,
    group,
    version,
    plural: decode(plural),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name: decode(name) }),
    ...(subresource === undefined ? {} : { subresource: decode(subresource) }),
    rest: rest.length === 0 ? (path.endsWith("/") ? "/" : "") : `/${rest.join("/")}${path.endsWith("/") ? "/" : ""}`,
    watchPrefix,
  };
}

function decode(part: string | undefined): string {
  if (part === undefined) return "";
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
