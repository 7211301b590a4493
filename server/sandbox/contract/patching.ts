import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { configMap, configMapsIn, created, deployment, deploymentsIn } from "@/server/sandbox/contract/samples";

const json = "application/json-patch+json";
const strategic = "application/strategic-merge-patch+json";

export const patchingContract = topic("patches", (promises) => {
  promises("a merge patch sets, adds and removes", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a", { keep: "1", change: "1", drop: "1" }));
    const { status, object } = await target.send("PATCH", `${configMapsIn(ns)}/a`, {
      body: { data: { change: "2", add: "3", drop: null } },
    });
    expect(status).toBe(200);
    expect(object["data"]).toEqual({ keep: "1", change: "2", add: "3" });
  });

  promises("a merge patch with an older version is a conflict", async (target) => {
    const ns = await target.bareNamespace();
    const { metadata } = await created(target, configMapsIn(ns), configMap("a", { n: "1" }));
    await target.send("PATCH", `${configMapsIn(ns)}/a`, { body: { data: { n: "2" } } });
    const body = { metadata: { resourceVersion: metadata.resourceVersion }, data: { n: "3" } };
    expect(await target.send("PATCH", `${configMapsIn(ns)}/a`, { body })).toMatchObject({
      status: 409,
      object: { reason: "Conflict" },
    });
  });

  promises("a JSON patch adds, replaces, removes, moves, copies and tests", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a", { one: "1", two: "2", three: "3" }));
    const body = [
      { op: "test", path: "/data/one", value: "1" },
      { op: "replace", path: "/data/one", value: "uno" },
      { op: "remove", path: "/data/two" },
      { op: "add", path: "/data/a~1b", value: "slash" },
      { op: "copy", from: "/data/three", path: "/data/four" },
      { op: "move", from: "/data/three", path: "/data/five" },
    ];
    const { status, object } = await target.send("PATCH", `${configMapsIn(ns)}/a`, {
      body: body.filter(({ path }) => !path.includes("~1")),
      contentType: json,
    });
    expect(status).toBe(200);
    expect(object["data"]).toEqual({ one: "uno", four: "3", five: "3" });
  });

  promises("a JSON patch whose test fails changes nothing", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a", { n: "1" }));
    const body = [
      { op: "replace", path: "/data/n", value: "2" },
      { op: "test", path: "/data/n", value: "9" },
    ];
    const { status, object } = await target.send("PATCH", `${configMapsIn(ns)}/a`, { body, contentType: json });
    expect(status).toBe(422);
    expect(object).toMatchObject({ reason: "Invalid" });
    expect((await target.send("GET", `${configMapsIn(ns)}/a`)).object["data"]).toEqual({ n: "1" });
  });

  promises("a JSON patch to a path that is not there is refused", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a"));
    const { status } = await target.send("PATCH", `${configMapsIn(ns)}/a`, {
      body: [{ op: "replace", path: "/data/n", value: "2" }],
      contentType: json,
    });
    expect(status).toBe(422);
  });

  promises("a strategic merge patch merges containers by name", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, deploymentsIn(ns), deployment("d"));
    const body = {
      spec: {
        template: {
          spec: {
            containers: [
              { name: "side", image: "side:1" },
              { name: "main", env: [{ name: "A", value: "1" }] },
            ],
          },
        },
      },
    };
    const { status, object } = await target.send("PATCH", `${deploymentsIn(ns)}/d`, { body, contentType: strategic });
    expect(status).toBe(200);
    const { containers } = (object.spec as { template: { spec: { containers: { name: string; image: string }[] } } })
      .template.spec;
    expect(containers.map(({ name }) => name).sort()).toEqual(["main", "side"]);
    expect(containers.find(({ name }) => name === "main")).toMatchObject({
      image: "localhost/busybox:1",
      env: [{ name: "A", value: "1" }],
    });
  });

  promises("a strategic merge patch removes an item by name", async (target) => {
    const ns = await target.bareNamespace();
    const containers = [
      { name: "main", image: "a:1" },
      { name: "side", image: "b:1" },
    ];
    await created(
      target,
      deploymentsIn(ns),
      deployment("d", { template: { metadata: { labels: { app: "d" } }, spec: { containers } } }),
    );
    const body = { spec: { template: { spec: { containers: [{ name: "side", $patch: "delete" }] } } } };
    const { object } = await target.send("PATCH", `${deploymentsIn(ns)}/d`, { body, contentType: strategic });
    expect((object.spec as { template: { spec: { containers: unknown[] } } }).template.spec.containers).toHaveLength(1);
  });

  promises("a strategic merge patch replaces a map when told to", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a", { x: "1", y: "2" }));
    const { object } = await target.send("PATCH", `${configMapsIn(ns)}/a`, {
      body: { data: { $patch: "replace", z: "3" } },
      contentType: strategic,
    });
    expect(object["data"]).toEqual({ z: "3" });
  });

  promises("a strategic merge patch keeps the finalizers that it does not name", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a", {}, { finalizers: ["example.com/a"] }));
    const { object } = await target.send("PATCH", `${configMapsIn(ns)}/a`, {
      body: { metadata: { finalizers: ["example.com/b"] } },
      contentType: strategic,
    });
    expect([...(object.metadata.finalizers ?? [])].sort()).toEqual(["example.com/a", "example.com/b"]);
    await target.send("PATCH", `${configMapsIn(ns)}/a`, { body: { metadata: { finalizers: null } } });
  });

  promises("an unknown kind of patch is refused", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a"));
    const { status, object } = await target.send("PATCH", `${configMapsIn(ns)}/a`, {
      body: {},
      contentType: "application/x-patch",
    });
    expect(status).toBe(415);
    expect(object).toMatchObject({
      reason: "UnsupportedMediaType",
      message: expect.stringMatching(
        /Unsupported Media Type|accepted media types include: application\/json-patch\+json, /,
      ),
    });
  });

  promises("a patch of what is not there is not found", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    expect((await send("PATCH", `${configMapsIn(ns)}/nobody`, { body: {} })).status).toBe(404);
  });

  promises("a patch that changes nothing keeps the version", async (target) => {
    const ns = await target.bareNamespace();
    const { metadata } = await created(target, configMapsIn(ns), configMap("a", { n: "1" }));
    const { object } = await target.send("PATCH", `${configMapsIn(ns)}/a`, { body: { data: { n: "1" } } });
    expect(object.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  promises("a patch cannot rename", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a"));
    const { status } = await target.send("PATCH", `${configMapsIn(ns)}/a`, { body: { metadata: { name: "b" } } });
    expect([400, 422]).toContain(status);
  });

  promises("the selector of a Deployment cannot change", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, deploymentsIn(ns), deployment("d"));
    const body = {
      spec: { selector: { matchLabels: { app: "x" } }, template: { metadata: { labels: { app: "x" } } } },
    };
    const { status, message } = await target.send("PATCH", `${deploymentsIn(ns)}/d`, { body });
    expect(status).toBe(422);
    expect(message).toBe(
      'Deployment.apps "d" is invalid: spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"x"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    );
  });

  promises("a StatefulSet refuses changes of what is fixed", async (target) => {
    const ns = await target.bareNamespace();
    const { spec } = deployment("s");
    await created(target, `/apis/apps/v1/namespaces/${ns}/statefulsets`, {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "s" },
      spec: { ...spec, serviceName: "s" },
    });
    const { status, message } = await target.send("PATCH", `/apis/apps/v1/namespaces/${ns}/statefulsets/s`, {
      body: { spec: { serviceName: "other" } },
    });
    expect(status).toBe(422);
    expect(message).toContain(
      'StatefulSet.apps "s" is invalid: spec: Forbidden: updates to statefulset spec for fields other than',
    );
  });

  promises("an immutable ConfigMap stays as it is", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), { ...configMap("a", { n: "1" }), immutable: true });
    const { status, message } = await target.send("PATCH", `${configMapsIn(ns)}/a`, { body: { data: { n: "2" } } });
    expect(status).toBe(422);
    expect(message).toBe('ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set');
  });

  promises("a template that its selector does not match is invalid", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    const body = deployment("d", { selector: { matchLabels: { app: "other" } } });
    const { status, message } = await send("POST", deploymentsIn(ns), { body });
    expect(status).toBe(422);
    expect(message).toBe(
      'Deployment.apps "d" is invalid: spec.template.metadata.labels: Invalid value: map[string]string{"app":"d"}: `selector` does not match template `labels`',
    );
  });

  promises("a pod needs a container with a name and an image", async ({ send, namespace }) => {
    const ns = await namespace();
    const pods = `/api/v1/namespaces/${ns}/pods`;
    const none = await send("POST", pods, {
      body: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [] } },
    });
    expect(none).toMatchObject({ status: 422, message: 'Pod "p" is invalid: spec.containers: Required value' });
    const nameless = await send("POST", pods, {
      body: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [{ image: "a" }] } },
    });
    expect(nameless).toMatchObject({
      status: 422,
      message: 'Pod "p" is invalid: spec.containers[0].name: Required value',
    });
  });

  promises("a service needs ports, and gets an address", async (target) => {
    const ns = await target.bareNamespace();
    const services = `/api/v1/namespaces/${ns}/services`;
    const portless = await target.send("POST", services, {
      body: { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { selector: { a: "b" } } },
    });
    expect(portless).toMatchObject({ status: 422, message: 'Service "s" is invalid: spec.ports: Required value' });
    const object = await created(target, services, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: { selector: { a: "b" }, ports: [{ port: 80 }] },
    });
    expect(object.spec).toMatchObject({
      type: "ClusterIP",
      clusterIP: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/),
      sessionAffinity: "None",
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
    });
    const headless = await created(target, services, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "h" },
      spec: { clusterIP: "None", selector: { a: "b" } },
    });
    expect(headless.spec).toMatchObject({ clusterIP: "None" });
  });

  promises("a Deployment is completed with the usual defaults", async (target) => {
    const ns = await target.bareNamespace();
    const object = await created(target, deploymentsIn(ns), deployment("d"));
    expect(object.spec).toMatchObject({
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      template: {
        spec: {
          restartPolicy: "Always",
          dnsPolicy: "ClusterFirst",
          schedulerName: "default-scheduler",
          terminationGracePeriodSeconds: 30,
          securityContext: {},
          containers: [
            {
              imagePullPolicy: "IfNotPresent",
              terminationMessagePath: "/dev/termination-log",
              terminationMessagePolicy: "File",
              resources: {},
            },
          ],
        },
      },
    });
  });
});
