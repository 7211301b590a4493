import { afterEach, beforeEach, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";
import { eventually } from "@/server/sandbox/contract/kubectl";

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await createSandbox({ kubelet: false, anonymousAdmin: true });
});

afterEach(() => sandbox.stop());

const MOST = 2 ** 31 - 1;
const labels = { app: "huge" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "localhost/busybox:1" }] } };
const once = { ...template, spec: { ...template.spec, restartPolicy: "Never" } };

test.each([
  ["Deployment", "deployments", { replicas: MOST, selector, template }],
  ["StatefulSet", "statefulsets", { replicas: MOST, serviceName: "s", selector, template }],
  [
    "StatefulSet",
    "statefulsets",
    { replicas: MOST, serviceName: "s", selector, template, podManagementPolicy: "Parallel" },
  ],
  ["Job", "jobs", { completions: MOST, parallelism: MOST, template: once }],
  ["Job", "jobs", { completions: MOST, parallelism: 5, completionMode: "Indexed", template: once }],
] as const)(
  "a %s of more pods than there can be does not keep the server from answering ",
  async (kind, plural, spec) => {
    const group = kind === "Job" ? "batch/v1" : "apps/v1";
    const path = `${sandbox.url}/apis/${group}/namespaces/default/${plural}`;
    const body = JSON.stringify({ apiVersion: group, kind, metadata: { name: "huge" }, spec });
    const created = await fetch(path, { method: "POST", body, headers: { "content-type": "application/json" } });
    expect(created.status, await created.text()).toBe(201);
    await eventually("its first pods", () => sandbox.cluster.list(apis.pod).length > 0);
    expect((await fetch(`${sandbox.url}/version`)).status).toBe(200);
    expect((await fetch(`${path}/huge`, { method: "DELETE" })).status).toBe(200);
  },
);
