import { expect, test } from "vitest";
import { errorOfStatus, KubernetesError } from "@/server/kubernetes/errors";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { writesOf } from "./planned-write";
import { type Plan } from "./plan";
import { redactError, redactPlan } from "./redact";

const secret: KubernetesObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: "n", name: "s" },
  data: { password: "aHVudGVyMg==" },
  stringData: { token: "hunter2" },
};
const self: KubernetesObject = { apiVersion: "t/v1", kind: "T", metadata: { namespace: "n", name: "t" } };

test("neither a stored plan nor a preview holds what a Secret holds", () => {
  const plan: Plan = { steps: {}, effects: [{ type: "ensure", object: secret }], status: null, requeueAfterMs: null };
  for (const shown of [redactPlan(plan), writesOf(plan, self)]) {
    expect(JSON.stringify(shown)).not.toMatch(/hunter2|aHVudGVyMg/);
    expect(JSON.stringify(shown)).toContain("password");
  }
});

test("a refused Secret is told by reason and field, never by value", () => {
  const refusal = errorOfStatus(422, {
    reason: "Invalid",
    message: 'Secret "s" is invalid: data[password]: Invalid value: "hunter2": too short',
    details: { causes: [{ field: "data[password]", message: 'Invalid value: "hunter2"' }] },
  });
  const told = redactError(refusal, secret, "n/s");
  expect(told).toBeInstanceOf(KubernetesError);
  expect(JSON.stringify([String(told), told, (told as KubernetesError).causes])).not.toContain("hunter2");
  expect(String(told)).toContain("Secret n/s was not written: Invalid (data[password])");
});

test("the error of any other kind is told as it is", () => {
  const refusal = errorOfStatus(422, { reason: "Invalid", message: "spec.replicas: must not be negative" });
  expect(redactError(refusal, self, "n/t")).toBe(refusal);
});
