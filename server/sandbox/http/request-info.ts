/** What a URL asks for, before anybody knows whether it exists. */
export type RequestInfo =
  | { resource: false; path: string }
  | {
      resource: true;
      group: string;
      version: string;
      plural: string;
      namespace: string | undefined;
      name: string | undefined;
      subresource: string | undefined;
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
  const group = start === 2 ? "" : decode(parts[1] ?? "");
  const version = decode(parts[start - 1] ?? "");
  const watchPrefix = parts[start] === "watch";
  const first = watchPrefix ? start + 1 : start;
  const left = parts.length - first;
  const inNamespace =
    parts[first] === "namespaces" && left > 2 && !(left === 3 && NAMESPACE_SUBRESOURCES.has(parts[first + 2] ?? ""));
  const at = inNamespace ? first + 2 : first;
  if (parts.length <= at) return { resource: false, path };
  return {
    resource: true,
    group,
    version,
    plural: decode(parts[at] ?? ""),
    namespace: inNamespace ? decode(parts[first + 1] ?? "") : undefined,
    name: decodedIf(parts[at + 1]),
    subresource: decodedIf(parts[at + 2]),
    rest: restOf(path, parts, at + 3),
    watchPrefix,
  };
}

function restOf(path: string, parts: readonly string[], from: number): string {
  const rest = parts.length > from ? `/${parts.slice(from).join("/")}` : "";
  return path.endsWith("/") ? `${rest}/` : rest;
}

function decodedIf(part: string | undefined): string | undefined {
  return part === undefined ? undefined : decode(part);
}

function decode(part: string): string {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
