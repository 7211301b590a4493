import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { firebolt } from "@/machines/firebolt/family";
import { webhookConfigurationApi, webhookName } from "@/server/admission/webhook-configuration";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { connectionFrom } from "@/server/kubernetes/connection";
import { apiVersionOf, type KubernetesObject } from "@/server/kubernetes/object";
import { isLive, openBrowser } from "./browser";

const { open } = openBrowser(() => inject("url"));
const { api } = firebolt.kinds.engineClass;
const key = { namespace: "shop", name: "undecided" };
const rounds = 4;
let client: KubernetesClient;
let admission: KubernetesObject;

/** A class goes where its template sends it, in one step and for one reason: its rounds are all alike. */
beforeAll(async () => {
  client = createClient({ connection: await connectionFrom({ kubeconfig: inject("kubeconfig") }), clock: systemClock });
  // As in a cluster that does not ask us first: what a class may not set then comes to be.
  admission = await client.get(webhookConfigurationApi, { name: webhookName });
  await client.delete(webhookConfigurationApi, { name: webhookName });
  const spec = { template: { spec: {} } };
  await client.create(api, { apiVersion: apiVersionOf(api), kind: api.kind, metadata: key, spec });
  await arrived("Admissible");
  for (let round = 0; round < rounds; round++) {
    await client.patch(api, key, { spec: { template: { spec: { hostname: "mine" } } } }, { type: "merge" });
    await arrived("OperatorOwnedFieldSet");
    await client.patch(api, key, { spec: { template: { spec: { hostname: null } } } }, { type: "merge" });
    await arrived("Admissible");
  }
});
afterAll(async () => {
  const { apiVersion, kind, webhooks } = admission;
  await client.create(webhookConfigurationApi, { apiVersion, kind, metadata: { name: webhookName }, webhooks });
  await client.close();
});

async function arrived(state: string): Promise<void> {
  const wanted = { kind: "firebolt.engineClass", ...key, states: [state], timeoutMs: 60_000 };
  const answer = await fetch(
    `${inject("url")}/api/v1/resource.wait?input=${encodeURIComponent(JSON.stringify(wanted))}`,
  );
  expect(await answer.json()).toMatchObject({ reached: true });
}

test("what went round in circles is one row, which opens, and leads to each of its moments", async () => {
  const page = await open("/firebolt/engineClass/shop/undecided");
  await isLive(page);
  const happened = page.getByRole("region", { name: "What happened" });
  const circle = happened.getByRole("listitem").filter({ hasText: `× ${rounds}` });
  await circle.waitFor();
  expect(await circle.locator("b").innerText()).toBe("Admissible → OperatorOwnedFieldSet → Admissible");
  const moments = happened.getByRole("button", { name: /^Look at (Admissible|OperatorOwnedFieldSet) to/ });
  expect(await moments.count()).toBe(0);

  await circle.getByRole("button", { name: `open all ${2 * rounds}` }).click();
  expect(await moments.count()).toBe(2 * rounds);
  await moments.last().click();
  await page.waitForURL(/\?at=/);
  // Whoever gets the link finds the round open at that moment.
  const other = await open(new URL(page.url()).pathname + new URL(page.url()).search);
  await other.getByRole("heading", { level: 1 }).filter({ hasText: "OperatorOwnedFieldSet" }).waitFor();
  await circle.getByRole("button", { name: "fold" }).waitFor();
  await other.locator(".tl li.at").waitFor();
});
