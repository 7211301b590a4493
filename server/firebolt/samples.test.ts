import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { findCondition } from "@/machines/conditions";
import { type Engine } from "@/machines/firebolt/engine.schema";
import { firebolt } from "@/machines/firebolt/family";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { fireboltDemo } from "./demo";
import { createFireboltFleet, type FireboltFleet } from "./fixtures/firebolt-fleet";

let fleet: FireboltFleet;
beforeEach(async () => {
  fleet = await createFireboltFleet();
});
afterEach(() => fleet.stop());

const ready = ({ status }: Engine) => findCondition(status.conditions, "Ready");
const because = (reason: string) => (engine: Engine) => ready(engine)?.reason === reason;

/** Each of this family, into the fleet's namespace, where it says none. */
async function apply(objects: readonly KubernetesObject[]) {
  const kinds = Object.values(firebolt.kinds);
  for (const object of objects) {
    const kind = kinds.find(({ api }) => api.kind === object.kind);
    if (kind) await fleet.create(kind.api, object);
  }
}

function sample(name: string): KubernetesObject[] {
  const documents = parseAllDocuments(readFileSync(`deploy/samples/${name}.yaml`, "utf8"));
  return documents.map((document) => document.toJS() as KubernetesObject);
}

test("the samples come up as they are written", async () => {
  await apply([...sample("firebolt-small"), ...sample("firebolt-classes")]);
  await fleet.untilEngine("analytics", "serves", because("EngineReady"));
  const dashboards = await fleet.untilEngine("dashboards", "serves", because("EngineReady"));
  expect(dashboards.status.readyReplicas).toBe(3);
  await fleet.untilEngine("nightly", "is stopped", because("Stopped"));
});

test("of the demo's three engines two serve, and one says which ServiceAccount it lacks", async () => {
  await apply(fireboltDemo());
  for (const name of ["analytics", "reporting"]) await fleet.untilEngine(name, "serves", because("EngineReady"));
  const stuck = await fleet.untilEngine("ingest", "tells", because("FailedCreate"));
  expect(ready(stuck)?.message).toMatch(/^StatefulSet ingest-g0: .*ingest-writer.* \(x\d+\)$/);
});
