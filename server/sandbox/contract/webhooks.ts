import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { type Target, unique, until } from "@/server/sandbox/contract/target";
import { type Answer, type Review, startWebhook, type WebhookServer } from "@/server/sandbox/contract/webhook-server";

const kinds = { mutating: "MutatingWebhookConfiguration", validating: "ValidatingWebhookConfiguration" } as const;
type Kind = keyof typeof kinds;

const patchOf = (operations: readonly object[]): Answer => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});
const configMap = (name: string, labels: Record<string, string> = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels },
});

type Setup = {
  namespace: string;
  path: string;
  server: WebhookServer;
  create: (name: string, labels?: Record<string, string>) => ReturnType<Target["send"]>;
};

/** A webhook for the ConfigMaps of a namespace of its own, asked for by the time that the case runs. */
async function withWebhook(
  target: Target,
  kind: Kind,
  answer: (review: Review) => Answer,
  run: (setup: Setup) => Promise<void>,
  webhook: object = {},
): Promise<void> {
  const mark = unique("hook");
  const namespace = await target.namespace({ [mark]: "on" });
  const server = await startWebhook((review) => (review.name === "probe" ? { allowed: false } : answer(review)));
  const path = `/apis/admissionregistration.k8s.io/v1/${kinds[kind].toLowerCase()}s`;
  const rules = [
    { operations: ["CREATE", "UPDATE", "DELETE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] },
  ];
  const own = {
    name: `${mark}.example.com`,
    clientConfig: { url: `${server.url}/check`, caBundle: server.caBundle },
    rules,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    namespaceSelector: { matchLabels: { [mark]: "on" } },
    ...webhook,
  };
  const created = await target.send("POST", path, {
    body: {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: kinds[kind],
      metadata: { name: mark },
      webhooks: [own],
    },
  });
  expect({ status: created.status, message: created.message }).toEqual({ status: 201, message: "" });
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  try {
    await until(
      "the webhook in force",
      async () =>
        (await target.send("POST", `${maps}?dryRun=All`, { body: configMap("probe", { probe: "yes" }) })).status !==
        201,
    );
    await run({
      namespace,
      path: maps,
      server,
      create: (name, labels) => target.send("POST", maps, { body: configMap(name, labels) }),
    });
  } finally {
    await target.send("DELETE", `${path}/${mark}`);
    await server.stop();
  }
}

export const webhooksContract = topic("admission webhooks", (promises) => {
  promises("a validating webhook that denies is quoted", async (target) => {
    const answer = ({ name }: Review) =>
      name === "bad" ? { allowed: false, status: { message: "not today", code: 409 } } : { allowed: true };
    await withWebhook(target, "validating", answer, async ({ create, server }) => {
      expect((await create("good")).status).toBe(201);
      const { status, message } = await create("bad");
      expect(status).toBe(409);
      expect(message).toMatch(/^admission webhook "hook-\w+\.example\.com" denied the request: not today$/);
      const review = server.asked.find(({ name }) => name === "good");
      expect(review).toMatchObject({
        operation: "CREATE",
        dryRun: false,
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        resource: { group: "", version: "v1", resource: "configmaps" },
        object: { kind: "ConfigMap", metadata: { name: "good" } },
        oldObject: null,
      });
    });
  });

  promises("a denial without a word is told as such", async (target) => {
    await withWebhook(
      target,
      "validating",
      () => ({ allowed: false }),
      async ({ create }) => {
        const { status, message } = await create("a");
        expect({ status, message }).toMatchObject({
          status: 400,
          message: expect.stringMatching(/denied the request without explanation$/),
        });
      },
    );
  });

  promises("a mutating webhook changes the object, and the server checks the result", async (target) => {
    const answer = ({ name }: Review) =>
      patchOf(
        name === "broken"
          ? [{ op: "add", path: "/data", value: "text" }]
          : [{ op: "add", path: "/data", value: { by: "webhook" } }],
      );
    await withWebhook(target, "mutating", answer, async ({ create, path }) => {
      expect((await create("a")).object["data"]).toEqual({ by: "webhook" });
      expect((await target.send("GET", `${path}/a`)).object["data"]).toEqual({ by: "webhook" });
    });
  });

  promises("updates and deletions come with the old object", async (target) => {
    await withWebhook(
      target,
      "validating",
      ({ operation }) => ({ allowed: operation !== "DELETE", status: { message: "stay" } }),
      async ({ create, path, server }) => {
        await create("a");
        await target.send("PATCH", `${path}/a`, { body: { data: { x: "1" } } });
        expect(server.asked.find(({ operation, name }) => operation === "UPDATE" && name === "a")).toMatchObject({
          object: { data: { x: "1" } },
          oldObject: { metadata: { name: "a" } },
        });
        const { message } = await target.send("DELETE", `${path}/a`);
        expect(message).toMatch(/denied the request: stay$/);
        expect(server.asked.find(({ operation, name }) => operation === "DELETE" && name === "a")).toMatchObject({
          object: null,
          oldObject: { metadata: { name: "a" } },
        });
      },
    );
  });

  promises("a dry run says so to the webhook", async (target) => {
    await withWebhook(
      target,
      "validating",
      () => ({ allowed: true }),
      async ({ path, server }) => {
        await target.send("POST", `${path}?dryRun=All`, { body: configMap("dry") });
        expect(server.asked.find(({ name }) => name === "dry")?.dryRun).toBe(true);
      },
    );
  });

  promises("only objects that the selector finds are sent", async (target) => {
    const objectSelector = { matchExpressions: [{ key: "probe", operator: "Exists" }] };
    await withWebhook(
      target,
      "validating",
      () => ({ allowed: false }),
      async ({ create }) => {
        expect((await create("outside")).status).toBe(201);
        expect((await create("inside", { probe: "no" })).status).toBe(400);
      },
      { objectSelector },
    );
  });

  promises("a webhook that fails refuses the request", async (target) => {
    await withWebhook(
      target,
      "validating",
      () => null,
      async ({ create }) => {
        const { status, message, object } = await create("a");
        expect(status).toBe(500);
        expect(message).toMatch(/^Internal error occurred: failed calling webhook "hook-\w+\.example\.com": /);
        expect(object["reason"]).toBe("InternalError");
      },
    );
  });

  promises("a webhook that fails and does not matter is passed over", async (target) => {
    await withWebhook(
      target,
      "validating",
      () => null,
      async ({ create }) => {
        expect((await create("a")).status).toBe(201);
      },
      { failurePolicy: "Ignore" },
    );
  });

  promises("a configuration that cannot work is refused", async (target) => {
    const send = async (webhook: object) =>
      (
        await target.send("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All", {
          body: {
            apiVersion: "admissionregistration.k8s.io/v1",
            kind: "ValidatingWebhookConfiguration",
            metadata: { name: "w" },
            webhooks: [
              {
                name: "a.b.example.com",
                clientConfig: { url: "https://127.0.0.1/" },
                sideEffects: "None",
                admissionReviewVersions: ["v1"],
                ...webhook,
              },
            ],
          },
        })
      ).message;
    expect(await send({ clientConfig: { url: "http://127.0.0.1/" } })).toContain(
      "webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
    );
    expect(await send({ clientConfig: {} })).toContain(
      "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
    );
    expect(await send({ name: "short" })).toContain(
      'webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots',
    );
    expect(await send({ timeoutSeconds: 60 })).toContain(
      "webhooks[0].timeoutSeconds: Invalid value: 60: the timeout value must be between 1 and 30 seconds",
    );
    expect(await send({ sideEffects: "Some" })).toContain(
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    );
  });
});
