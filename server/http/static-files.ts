import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { securityHeaders } from "@/server/identity/security-headers";

type Held = { type: string; plain: Buffer; gzipped: Buffer | null };

const prefix = "/_next/static/";
/** By its ending; `true` where it pays to compress it. */
const types: Record<string, [type: string, isText: boolean]> = {
  ".js": ["text/javascript; charset=utf-8", true],
  ".css": ["text/css; charset=utf-8", true],
  ".woff2": ["font/woff2", false],
};

/**
 * What the build made for browsers, from memory: Next would read and compress every file for every browser that comes, just
 * when that browser needs the processor most. A name is never used for anything else, so browsers may keep it for good.
 * The answer tells whether it was one of these files.
 */
export function staticFiles(folder: string): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  const all = new Map<string, Promise<Held | null>>();
  return async (request, response) => {
    const name = nameOf(request);
    if (name === null) return false;
    const held = all.get(name) ?? read(join(folder, name));
    all.set(name, held);
    const file = await held;
    if (!file) {
      all.delete(name);
      return false;
    }
    const zipped = /\bgzip\b/.test(String(request.headers["accept-encoding"])) ? file.gzipped : null;
    const body = zipped ?? file.plain;
    response.writeHead(200, {
      ...securityHeaders(),
      "content-type": file.type,
      "content-length": body.length,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
      ...(zipped && { "content-encoding": "gzip" }),
    });
    response.end(request.method === "HEAD" ? undefined : body);
    return true;
  };
}

/** Of the files that are served from here; null for everything else, and for what would lead out of the folder. */
function nameOf({ method, url = "" }: IncomingMessage): string | null {
  if ((method !== "GET" && method !== "HEAD") || !url.startsWith(prefix)) return null;
  const [name = ""] = url.slice(prefix.length).split("?");
  return /^[\w~-][\w.~-]*(\/[\w~-][\w.~-]*)*$/.test(name) && types[extname(name)] ? name : null;
}

/**
 * Tells the browser to compile the functions of a script while it comes, beside the page, and not one by one when each is
 * first called, in the page's way. A browser that does not know it reads a comment.
 */
const compileAhead = "//# allFunctionsCalledOnLoad\n";

async function read(path: string): Promise<Held | null> {
  const [type, isText] = types[extname(path)] ?? ["application/octet-stream", false];
  const built = await readFile(path).catch(() => null);
  const plain = built && extname(path) === ".js" ? Buffer.concat([Buffer.from(compileAhead), built]) : built;
  return plain && { type, plain, gzipped: isText ? await promisify(gzip)(plain, { level: 9 }) : null };
}
