import { afterAll, beforeAll, expect, test } from "vitest";
import { handlePlain } from "@/server/http/plain-handler";
import { handleTrpc } from "@/server/http/trpc-handler";
import { handleSession } from "@/server/http/session-handler";
import { apis } from "@/server/kubernetes/apis";
import type { KubernetesClient } from "@/server/kubernetes/client";
import { createEngine, createNamespace, createReadyInstance } from "@/server/resources/fixtures/firebolt";
import { createStage, type Stage } from "@/server/resources/fixtures/stage";
import { ADDRESS_HEADER } from "./caller-address";
import { createDoor } from "./door";

const site = "http://127.0.0.1:3000";
/** What the answer of a TokenReview is kept for, and how often a stream asks: a token that was taken back ends by then. */
const BOUND_MS = 30_000;
let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
  await createNamespace(stage, "shop");
  await createReadyInstance(stage, "shop");
  await createEngine(stage, { namespace: "shop", name: "analytics" });
});
afterAll(() => stage.stop());

/** A tool's account that may see everything, and a token of it. */
async function account(name: string): Promise<{ authorization: string }> {
  const metadata = { name, namespace: "shop" };
  await stage.create({ apiVersion: "v1", kind: "ServiceAccount", metadata });
  await stage.create({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: `${name}-sees-everything` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name, namespace: "shop" }],
  });
  const { body } = await stage.client.request("POST", `/api/v1/namespaces/shop/serviceaccounts/${name}/token`, {
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3_600 } },
  });
  // The sandbox answers as the API says.
  return { authorization: `Bearer ${(body as { status: { token: string } }).status.token}` };
}

const ref = { kind: "firebolt.engine", namespace: "shop", name: "analytics" };

test.each([
  ["fleet.changes over plain HTTP", handlePlain, "/api/v1/fleet.changes", {}],
  ["resource.watch over plain HTTP", handlePlain, "/api/v1/resource.watch", ref],
  ["fleet.changes over tRPC", handleTrpc, "/api/trpc/fleet.changes", {}],
  ["resource.watch over tRPC", handleTrpc, "/api/trpc/resource.watch", ref],
] as const)(
  "a token that is taken back ends %s as unauthenticated, within a bound",
  async (_title, handle, path, input) => {
    const name = `reader-${path.replace(/\W+/g, "-").slice(5)}`.toLowerCase();
    const headers = await account(name);
    const url = `${site}${path}?input=${encodeURIComponent(JSON.stringify(input))}`;
    const response = await handle(stage.services, new Request(url, { headers }));
    expect(response.status).toBe(200);
    let text = "";
    let ended = false;
    const reading = (async () => {
      const decoder = new TextDecoder();
      // The body of a response is a stream of bytes; its type leaves that open.
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) text += decoder.decode(chunk);
      ended = true;
    })();
    // Still known: the stream goes on for as long as it is asked for.
    for (let passed = 0; passed < 2 * BOUND_MS; passed += 5_000) await stage.clock.advance(5_000);
    expect(ended).toBe(false);
    await stage.client.delete(apis.serviceAccount, { namespace: "shop", name });
    for (let passed = 0; passed < BOUND_MS; passed += 5_000) await stage.clock.advance(5_000);
    await reading;
    expect(text).toMatch(/"unauthenticated"/);
    const again = await handle(stage.services, new Request(url, { headers }));
    expect(await again.text()).toMatch(/"unauthenticated"/);
  },
);

test("unknown tokens of one address are refused before the cluster is asked, and nobody else's are", async () => {
  let reviews = 0;
  const { client, clock } = stage;
  const counting: KubernetesClient = {
    ...client,
    create: (api, ...rest) => {
      if (api === apis.tokenReview) reviews++;
      return client.create(api, ...rest);
    },
  };
  const door = createDoor({ client: counting, clock, mode: "token", secret: "x".repeat(32), publicUrl: null });
  const services = { ...stage.services, door };
  const known = await account("known");
  const ask = async (headers: Record<string, string>) =>
    (await handlePlain(services, new Request(`${site}/api/v1/whoami`, { headers }))).status;
  expect(await ask({ ...known, [ADDRESS_HEADER]: "10.0.0.1" })).toBe(200);
  const statuses: number[] = [];
  for (let at = 0; at < 200; at++)
    statuses.push(await ask({ authorization: `Bearer guess-${at}`, [ADDRESS_HEADER]: "10.0.0.1" }));
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect(statuses.at(-1)).toBe(429);
  expect(reviews).toBeLessThan(60);
  // Whom the cluster has vouched for is let in from there, also when the answer is no longer kept.
  expect(await ask({ ...known, [ADDRESS_HEADER]: "10.0.0.1" })).toBe(200);
  expect(await ask({ authorization: "Bearer guess", [ADDRESS_HEADER]: "10.0.0.2" })).toBe(401);
  const signIn = { method: "POST", body: '{"token":"guess"}' };
  const from = (address: string) =>
    handleSession(services, new Request(`${site}/api/session`, { ...signIn, headers: { [ADDRESS_HEADER]: address } }));
  expect([(await from("10.0.0.1")).status, (await from("10.0.0.3")).status]).toEqual([429, 401]);
  await stage.clock.advance(20_000);
  expect(await ask({ ...known, [ADDRESS_HEADER]: "10.0.0.1" })).toBe(200);
  expect(await ask({ authorization: "Bearer another", [ADDRESS_HEADER]: "10.0.0.1" })).toBe(401);
});
