import { afterAll, beforeAll, expect, test } from "vitest";
import { installCrds } from "@/server/boot/install-crds";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock as clock } from "@/server/kubernetes/clock";
import { serverConnection } from "@/server/kubernetes/connection";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";
import { createLimitedClient } from "@/server/testing/limited-client";
import { createTwoUsers, expectToMatch, type CanI } from "./fixtures/two-users";

let sandbox: Sandbox;
let client: KubernetesClient;
const clients = new Map<string, KubernetesClient>();
beforeAll(async () => {
  sandbox = await createSandbox({ controllers: false });
  client = createClient({ connection: sandbox.connection(), clock });
  await installCrds(client);
});
afterAll(async () => {
  for (const one of [client, ...clients.values()]) await one.close();
  await sandbox.stop();
});

/** What `kubectl auth can-i` asks: a review of oneself, with one's own token. */
const canI: CanI = async ({ token }, verb, { group, plural }, namespace) => {
  const own =
    clients.get(token) ?? createClient({ connection: serverConnection({ server: sandbox.url, token }), clock });
  clients.set(token, own);
  const { body } = await own.request("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb, group, resource: plural, namespace } },
    },
  });
  // As every API server answers a review.
  return (body as { status: { allowed: boolean } }).status.allowed;
};

test("two users see and may do what the cluster says of them, for every kind and every command", async () => {
  const users = await createTwoUsers({ client, clock, name: "rights" });
  // The web process itself has no other rights than those in deploy/.
  const limited = await createLimitedClient({ client, clock, sandbox });
  clients.set("limited", limited);
  const met = await expectToMatch(users, { client: limited, clock, canI });
  // It is no test of one lucky answer.
  expect(met.yes).toBeGreaterThan(20);
  expect(met.no).toBeGreaterThan(20);
});
