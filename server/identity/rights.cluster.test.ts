import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { crdOf } from "@/machines/crd";
import { kinds } from "@/machines/families";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock as clock } from "@/server/kubernetes/clock";
import { connectionFrom } from "@/server/kubernetes/connection";
import { isAlreadyExists } from "@/server/kubernetes/errors";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { until } from "@/server/testing/until";
import { createTwoUsers, expectToMatch, type CanI } from "./fixtures/two-users";
import { createTokenReviewer } from "./token-review";

const run = promisify(execFile);
const name = `orrery-rights-${process.pid}`;

let client: KubernetesClient;
beforeAll(async () => {
  const kubeconfig = process.env.KUBECONFIG;
  if (!kubeconfig) throw new Error("KUBECONFIG must name a cluster that may be written to.");
  client = createClient({ connection: await connectionFrom({ kubeconfig }), clock });
  for (const kind of Object.values(kinds)) {
    await client
      .create(apis.customResourceDefinition, crdOf(kind) as unknown as KubernetesObject)
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    await until(`${kind.api.plural} are served`, () =>
      client.list(kind.api, { limit: 1 }).then(
        () => true,
        () => false,
      ),
    );
  }
});
afterAll(async () => {
  for (const namespace of [name, `${name}-other`]) await client.delete(apis.namespace, { name: namespace });
  await client.close();
});

/** What `kubectl auth can-i` says; it ends with 1 for no. */
const canI: CanI = async ({ identity }, verb, { plural, group }, namespace) => {
  const args = ["auth", "can-i", verb, `${plural}.${group}`, "-n", namespace, "--as", identity.name, "-q"];
  return run("kubectl", args).then(
    () => true,
    () => false,
  );
};

test("two users see and may do what kubectl says of them, for every kind and every command", async () => {
  const users = await createTwoUsers({ client, clock, name });
  const met = await expectToMatch(users, { client, clock, canI });
  expect(met.yes).toBeGreaterThan(20);
  expect(met.no).toBeGreaterThan(20);
});

test("a token that the cluster does not know is nobody's", async () => {
  expect(await createTokenReviewer({ client, clock })("not-a-token")).toBeNull();
});
