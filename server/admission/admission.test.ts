import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { firebolt } from "@/machines/firebolt/family";
import { parseEnv } from "@/server/env";
import { createFireboltFleet, type FireboltFleet } from "@/server/firebolt/fixtures/firebolt-fleet";
import { apis } from "@/server/kubernetes/apis";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { silentLog } from "@/server/observability/log";
import { type Admission, serviceName, startAdmission } from "./admission";
import { webhookConfiguration, webhookConfigurationApi } from "./webhook-configuration";

const { engine, engineClass } = firebolt.kinds;
const dayMs = 24 * 3_600_000;
/** Two months behind, so that the first certificate and its successor are both good in the time of the TLS library. */
const clock = createVirtualClock({ startMs: Date.now() - 61 * dayMs });
let fleet: FireboltFleet;
let admission: Admission;

beforeAll(async () => {
  fleet = await createFireboltFleet();
  admission = await startAdmission({
    client: fleet.client,
    clock,
    log: silentLog,
    bounds: { cpu: "4", memory: "16Gi" },
    namespace: "default",
    host: "127.0.0.1",
    port: 0,
    url: "https://127.0.0.1:{port}",
  });
});
afterAll(async () => {
  await admission.stop();
  await fleet.stop();
});

const deploy = (name: string, spec: Record<string, unknown> = {}) =>
  fleet.create(engine.api, { metadata: { name }, spec: { instanceRef: "main", replicas: 0, ...spec } });
const container = (more: Record<string, unknown>) => ({
  template: { spec: { containers: [{ name: "engine", ...more }] } },
});
const configuration = async () => {
  const { webhooks } = await fleet.client.get(webhookConfigurationApi, { name: "orrery-admission" });
  const [webhook] = webhooks as { clientConfig: { caBundle: string } }[];
  return Buffer.from(webhook?.clientConfig.caBundle ?? "", "base64").toString();
};
const served = () =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: admission.port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.toString() ?? "");
      socket.destroy();
    });
    socket.on("error", reject);
  });

describe("the webhook", () => {
  test("lets a good engine in", async () => {
    await deploy("good", container({ resources: { limits: { memory: "16Gi" } } }));
  });

  test.each([
    ["an owned field", container({ args: ["--fast"] }), "spec.template.spec.containers[engine].args"],
    ["an owned pod field", { template: { spec: { hostNetwork: true } } }, "spec.template.spec.hostNetwork"],
    ["a reserved label", { template: { metadata: { labels: { "firebolt.io/engine": "x" } } } }, "firebolt.io/"],
    [
      "too much memory",
      container({ resources: { requests: { memory: "17Gi" } } }),
      "spec.template.spec.containers[engine].resources.requests.memory: 17Gi exceeds operator-configured maximum 16Gi",
    ],
    ["too much CPU", container({ resources: { limits: { cpu: "4001m" } } }), "resources.limits.cpu"],
  ])("refuses %s and names it", async (_, spec, message) => {
    await expect(deploy("refused", spec)).rejects.toThrow(message);
  });

  test("does not check a dimension without a maximum", async () => {
    await deploy("stored", container({ resources: { limits: { "ephemeral-storage": "10Ti" } } }));
  });

  test("refuses a name that is too long for the pods", async () => {
    await expect(deploy("n".repeat(46))).rejects.toThrow("metadata.name: must be at most 45 characters");
  });

  test("refuses another instance for an engine that has one", async () => {
    await expect(fleet.patch(engine.api, "good", { spec: { instanceRef: "other" } })).rejects.toThrow(/immutable/);
  });

  test("refuses amounts that come from the class, and says so", async () => {
    await fleet.create(engineClass.api, {
      metadata: { name: "huge" },
      spec: { template: { spec: { containers: [{ name: "engine", resources: { limits: { memory: "1Ti" } } }] } } },
    });
    await expect(deploy("inheriting", { engineClassRef: "huge" })).rejects.toThrow(
      "inherited from the FireboltEngineClass",
    );
  });

  test.each([
    ["a field of the pod", { template: { spec: { hostIPC: true } } }, "spec.template.spec.hostIPC"],
    ["a field of the engine's container", container({ tty: true }), "spec.template.spec.containers[engine].tty"],
    ["a reserved annotation", { template: { metadata: { annotations: { "firebolt.io/x": "y" } } } }, "firebolt.io/x"],
  ])("refuses %s in a class as in an engine, and in a change as in a new one", async (_, spec, path) => {
    await expect(fleet.create(engineClass.api, { metadata: { name: "bad" }, spec })).rejects.toThrow(path);
    await expect(deploy("bad", spec)).rejects.toThrow(path);
    await expect(fleet.patch(engine.api, "good", { spec })).rejects.toThrow(path);
  });

  test("refuses amounts above the maximum in a change, too", async () => {
    const spec = container({ resources: { requests: { cpu: "5" } } });
    await expect(fleet.patch(engine.api, "good", { spec })).rejects.toThrow(
      "spec.template.spec.containers[engine].resources.requests.cpu: 5 exceeds operator-configured maximum 4",
    );
  });

  test("refuses every update of an engine that has come to be above the maximum, but lets it go", async () => {
    const spec = (memory: string) => container({ resources: { limits: { memory } } });
    const label = { metadata: { labels: { team: "a" } } };
    await fleet.create(engineClass.api, { metadata: { name: "growing" }, spec: spec("1Gi") });
    await deploy("grown", { engineClassRef: "growing" });
    await fleet.patch(engine.api, "grown", label);
    await fleet.patch(engineClass.api, "growing", { spec: spec("1Ti") });
    await expect(fleet.patch(engine.api, "grown", { metadata: { labels: { team: "b" } } })).rejects.toThrow(
      "resources.limits.memory: 1Ti exceeds operator-configured maximum 16Gi",
    );
    await fleet.client.delete(engine.api, { namespace: "shop", name: "grown" });
    await fleet.until("it is gone", async () => (await fleet.find(engine.api, "grown")) === null);
  });

  test.each([
    ["a claim", { persistentVolumeClaim: { size: "big" } }, "spec.storage.persistentVolumeClaim.size"],
    ["an emptyDir", { emptyDir: { sizeLimit: "much" } }, "spec.storage.emptyDir.sizeLimit"],
  ])("refuses a size of %s that is no quantity, in engine and class", async (_, storage, path) => {
    await expect(deploy("sized", { storage })).rejects.toThrow(`${path}: "`);
    const spec = { template: {}, storage };
    await expect(fleet.create(engineClass.api, { metadata: { name: "sized" }, spec })).rejects.toThrow(path);
  });

  test("refuses the deletion of a class that an engine names", async () => {
    await fleet.create(engineClass.api, { metadata: { name: "kept" }, spec: { template: {} } });
    await deploy("holder", { engineClassRef: "kept" });
    const remove = () => fleet.client.delete(engineClass.api, { namespace: "shop", name: "kept" });
    await expect(remove()).rejects.toThrow("still named by holder");
    await fleet.patch(engine.api, "holder", { spec: { engineClassRef: null } });
    await remove();
  });
});

test("the Service in deploy/ is the one that the configuration names, on the port that is listened on", () => {
  const { ORRERY_NAMESPACE: namespace, ORRERY_WEBHOOK_PORT: port } = parseEnv({});
  const { metadata, spec } = parse(readFileSync("deploy/webhook-service.yaml", "utf8")) as KubernetesObject;
  const { webhooks } = webhookConfiguration({ namespace, service: serviceName }, []);
  const clientConfig = { service: { ...metadata, port: 443 } };
  expect(webhooks).toMatchObject([{ clientConfig }, { clientConfig }]);
  expect(spec?.ports).toMatchObject([{ port: 443, targetPort: port }]);
});

describe("its certificate", () => {
  test("is the one that the configuration trusts", async () => {
    expect(await configuration()).toContain((await served()).trim());
  });

  test("is renewed before it ends, and the last one stays trusted", async () => {
    const before = await served();
    await clock.advance(61 * dayMs);
    await admission.checkCertificate();
    const after = await served();
    expect(after).not.toBe(before);
    expect(Date.parse(new X509Certificate(after).validTo)).toBeGreaterThan(clock.now() + 80 * dayMs);
    const trusted = await configuration();
    expect(trusted).toContain(after.trim());
    expect(trusted).toContain(before.trim());
    await deploy("later");
  });

  test("is shared with the next process through its Secret", async () => {
    const secret = await fleet.client.get(apis.secret, { namespace: "default", name: "orrery-webhook-tls" });
    const { "tls.crt": cert = "" } = secret.data as Record<string, string>;
    expect(Buffer.from(cert, "base64").toString().trim()).toBe((await served()).trim());
  });
});
