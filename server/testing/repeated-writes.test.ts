import { expect, test } from "vitest";
import type { Plan } from "@/server/reconcile/plan";
import { defineReconciler } from "@/server/reconcile/reconciler";
import { apis } from "@/server/kubernetes/apis";
import { type Widget, widget } from "@/server/testing/fixtures/widget";
import { createSandboxFleet } from "@/server/testing/sandbox-fleet";

type Computes = (resource: Widget, now: number) => Pick<Plan, "effects" | "status">;

/** A fleet of one widget that is looked at every second for a while; resolves when all that a fleet promises was kept. */
async function play(computes: Computes): Promise<void> {
  const reconciler = defineReconciler<Widget, Widget>({
    id: "testing.widget",
    kind: widget,
    watches: [{ api: apis.configMap, keysOf: () => [] }],
    read: async (resource) => resource,
    known: () => ({}),
    compute: (resource, _, now) => ({ steps: {}, requeueAfterMs: 1_000, ...computes(resource, now) }),
  });
  const namespace = "repeating";
  const fleet = await createSandboxFleet({ kinds: [widget], reconcilers: { [reconciler.id]: reconciler }, namespace });
  await fleet.create(widget.api, { metadata: { name: "w" }, spec: { text: "one", parts: 0 } });
  await fleet.until("it was looked at a few times", async () => fleet.passes.length > 5);
  await fleet.stop();
}

const note = (data: string): Plan["effects"][number] => ({
  type: "ensure",
  object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "note", namespace: "repeating" }, data: { data } },
});
const status = (text: string) => ({ phase: "ready", generation: 1, text });

test("who writes the same again and again writes once", async () => {
  await expect(play(() => ({ effects: [note("same")], status: status("same") }))).resolves.toBeUndefined();
});

test.each<[what: string, computes: Computes]>([
  ["a status that tells the time", (_, now) => ({ effects: [], status: status(String(now)) })],
  ["an object that holds the time", (_, now) => ({ effects: [note(String(now))], status: null })],
])("a reconciler that writes when nothing has changed is caught: %s", async (_what, computes) => {
  await expect(play(computes)).rejects.toThrow(/Nothing had changed: .* knew nothing new and wrote all the same/);
});
