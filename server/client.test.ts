import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { analytics, createShop } from "@/server/http/fixtures/shop";
import { handleTrpc } from "@/server/http/trpc-handler";
import { settleEngine } from "@/server/resources/fixtures/firebolt";
import type { Stage } from "@/server/resources/fixtures/stage";
import { createOrreryClient, type OrreryClient } from "./client";

let stage: Stage;
let server: Server;
let url: string;
let client: OrreryClient;
beforeAll(async () => {
  stage = await createShop();
  await settleEngine(stage, analytics);
  await stage.projection.settled();
  server = createServer((incoming, outgoing) => {
    const left = new AbortController();
    outgoing.once("close", () => left.abort());
    const { method = "GET", headers } = incoming;
    const request = new Request(`http://${headers.host ?? ""}${incoming.url ?? ""}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      signal: left.signal,
      // Node's type of a stream of the web is its own.
      ...(method === "POST" && { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" }),
    });
    void handleTrpc(stage.services, request).then(({ status, headers: told, body }) => {
      outgoing.writeHead(status, Object.fromEntries(told));
      // The same difference of types; a reader that has left is no error.
      Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
        .on("error", () => outgoing.end())
        .pipe(outgoing);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is never a string.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createOrreryClient({ url, token: async () => stage.sandbox.adminToken });
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await stage.stop();
});

test("a tool asks, previews and commands with a token, and what it asks at once goes together", async () => {
  const [me, explained, page] = await Promise.all([
    client.whoami.query(),
    client.resource.explain.query(analytics),
    client.fleet.page.query({ kinds: ["firebolt.engine"] }),
  ]);
  expect(me.groups).toContain("system:masters");
  expect(explained.sentence).toMatch(/^stable /);
  expect(page.rows.map(({ name }) => name)).toEqual(["analytics"]);
  const stop = { ...analytics, command: "stop", args: {} };
  const preview = await client.resource.preview.query(stop);
  const answer = await client.resource.command.mutate({ ...stop, idempotencyKey: "nightly-1" });
  expect([preview.refusal, answer.accepted]).toEqual([null, true]);
  const unknown = { ...analytics, command: "fly", args: {}, idempotencyKey: "nightly-2" };
  expect(await client.resource.command.mutate(unknown)).toMatchObject({
    accepted: false,
    refusal: { code: "invalid" },
  });
});

test("a tool without a token that the cluster knows is told so", async () => {
  for (const stranger of [createOrreryClient({ url }), createOrreryClient({ url, token: "wrong" })])
    await expect(stranger.whoami.query()).rejects.toMatchObject({ data: { code: "UNAUTHORIZED" } });
});

test("a tool watches a resource with its token", async () => {
  const states: string[] = [];
  const faults: unknown[] = [];
  const watching = client.resource.watch.subscribe(analytics, {
    onData: ({ data: { row } }) => states.push(row?.state ?? "gone"),
    onError: (error) => faults.push(error),
  });
  const move = async () => {
    await stage.passOver("firebolt.engine", analytics);
    return [states.at(-1), ...faults];
  };
  await expect.poll(move, { timeout: 60_000 }).toEqual(["draining"]);
  watching.unsubscribe();
});
