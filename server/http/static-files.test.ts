import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { staticFiles } from "./static-files";

const built = "console.log('here');\n".repeat(200);
/** As it is sent: with the mark that has it compiled while it comes. */
const script = `//# allFunctionsCalledOnLoad\n${built}`;
let root: string;
let url: string;
const server = createServer((asked, answer) => {
  void serve(asked, answer).then((isServed) => {
    if (!isServed) answer.writeHead(404).end("left to others");
  });
});
let serve: ReturnType<typeof staticFiles>;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "orrery-static-"));
  await mkdir(join(root, "static", "chunks"), { recursive: true });
  await writeFile(join(root, "static", "chunks", "a.js"), built);
  await writeFile(join(root, "static", "letters.woff2"), "letters");
  await writeFile(join(root, "secret.js"), "secret");
  serve = staticFiles(join(root, "static"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`;
});
afterAll(async () => {
  server.close();
  await rm(root, { recursive: true });
});

// Not by fetch: that would tidy up the path and unpack the body.
const ask = async (path: string, headers: Record<string, string> = {}, method: "GET" | "HEAD" | "POST" = "GET") => {
  const answer = await request(url + path, { method, headers });
  return { ...answer, bytes: Buffer.from(await answer.body.arrayBuffer()) };
};

test("a script comes compressed to who takes that, and may be kept for good", async () => {
  const { headers, bytes } = await ask("/_next/static/chunks/a.js", { "accept-encoding": "gzip, br" });
  expect(headers).toMatchObject({
    "content-encoding": "gzip",
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
  });
  expect(gunzipSync(bytes).toString()).toBe(script);
});

test("others get it as it is, and who asks for the head alone gets that", async () => {
  expect((await ask("/_next/static/chunks/a.js?dpl=1")).bytes.toString()).toBe(script);
  expect((await ask("/_next/static/letters.woff2", { "accept-encoding": "gzip" })).bytes.toString()).toBe("letters");
  const head = await ask("/_next/static/chunks/a.js", {}, "HEAD");
  expect([head.headers["content-length"], head.bytes.length]).toEqual([String(script.length), 0]);
});

test.each([
  "/_next/static/chunks/b.js",
  "/_next/static/../secret.js",
  "/_next/static/chunks/../../secret.js",
  "/_next/static/%2e%2e/secret.js",
  "/_next/static//etc/a.js",
  "/_next/static/.hidden.js",
  "/_next/data/a.js",
])("%s is left to others", async (path) => {
  expect((await ask(path)).statusCode).toBe(404);
});

test("nothing but reading is done here", async () => {
  expect((await ask("/_next/static/chunks/a.js", {}, "POST")).statusCode).toBe(404);
});
