import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCondition } from "@/machines/conditions";
import { type Engine } from "@/machines/firebolt/engine.schema";
import { firebolt } from "@/machines/firebolt/family";
import { apis } from "@/server/kubernetes/apis";
import { createSandboxFleet, type SandboxFleet } from "./fixtures/sandbox-fleet";

const { engine: engineKind, engineClass, instance } = firebolt.kinds;
let fleet: SandboxFleet;

beforeAll(async () => {
  fleet = await createSandboxFleet();
  await fleet.create(instance.api, { metadata: { name: "main" }, spec: { metadata: {}, gateway: {} } });
});
afterAll(() => fleet.stop());

const ready = ({ status }: Engine) => findCondition(status.conditions, "Ready");
const isServing = (engine: Engine) => ready(engine)?.status === "True";
const onGeneration = (generation: number) => (engine: Engine) =>
  isServing(engine) && engine.status.activeGeneration === generation;

const deploy = (name: string, spec: Record<string, unknown> = {}) =>
  fleet.create(engineKind.api, { metadata: { name }, spec: { instanceRef: "main", replicas: 1, ...spec } });

const podsOf = async (name: string) =>
  (await fleet.client.list(apis.pod, { namespace: "shop", labelSelector: `firebolt.io/engine=${name}` })).items;

describe("an engine in the sandbox", () => {
  test("an instance brings up its services and says where its metadata is", async () => {
    const object = await fleet.until("the instance is ready", async () => {
      const seen = await fleet.find(instance.api, "main");
      return seen?.status?.phase === "Ready" && seen;
    });
    expect(object.spec?.id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(object.status).toMatchObject({ metadataEndpoint: "main-metadata.shop.svc.cluster.local:7000" });
  });

  test("it is deployed, and its Service leads to its pods", async () => {
    await deploy("first", { replicas: 2 });
    const engine = await fleet.untilEngine("first", "serves", isServing);
    expect(engine.status).toMatchObject({ phase: "stable", readyReplicas: 2, observedGeneration: 1 });
    const endpoints = await fleet.find(apis.endpoints, "first-service");
    expect(JSON.stringify(endpoints)).toContain("first-g0-1");
  });
});
