import { expect, test } from "vitest";
import { customConfig, engineConfig } from "./engine-config";

const base = {
  engine: { name: "analytics", namespace: "shop", replicas: 2 },
  generation: 4,
  instance: { id: "01J", metadataEndpoint: "main-metadata:7000" },
};
const configOf = (...layers: Record<string, unknown>[]) => engineConfig({ ...base, custom: customConfig(...layers) });

test("the config names the instance, its metadata service and every pod of the generation", () => {
  expect(configOf()).toEqual({
    schema_version: "1.0",
    instance: { id: "01J", type: "multi_engine", multi_engine: { metadata_endpoint: "main-metadata:7000" } },
    engine: {
      id: "analytics",
      nodes: [0, 1].map((ordinal) => ({ host: `analytics-g4-${ordinal}.analytics-g4-hl.shop.svc.cluster.local` })),
      termination_grace_period: "55s",
    },
    logging: { format: "json" },
  });
});

test("objects are merged to the bottom, class below engine; lists and values are replaced", () => {
  const ofClass = { cache: { size: 1, tiers: ["a", "b"], ttl: { hot: 1, cold: 2 } } };
  const ofEngine = { cache: { size: 2, tiers: ["c"], ttl: { hot: 9 } }, logging: { level: "debug" } };
  expect(configOf(ofClass, ofEngine)).toMatchObject({
    cache: { size: 2, tiers: ["c"], ttl: { hot: 9, cold: 2 } },
    logging: { format: "json", level: "debug" },
  });
});

// prettier-ignore
test.each([
  ["schema_version",                  { schema_version: "9" }],
  ["endpoints",                       { endpoints: [{ port: 1 }] }],
  ["instance.id",                     { instance: { id: "x" } }],
  ["instance.type",                   { instance: { type: "x" } }],
  ["instance.multi_engine",           { instance: { multi_engine: { metadata_endpoint: "evil:1" } } }],
  ["instance.auth",                   { instance: { auth: { enabled: false } } }],
  ["engine.id",                       { engine: { id: "x" } }],
  ["engine.nodes",                    { engine: { nodes: [] } }],
  ["engine.termination_grace_period", { engine: { termination_grace_period: "1s" } }],
  ["a section that is no object",     { engine: "mine", instance: ["mine"] }],
])("%s is the operator's, and what a spec says of it is dropped", (_, custom) => {
  expect(customConfig(custom)).toEqual({});
  expect(configOf(custom)).toEqual(configOf());
});

test("beside a protected path the rest of its section is kept", () => {
  expect(configOf({ engine: { id: "x", query_timeout: "5m" } })).toMatchObject({
    engine: { id: "analytics", query_timeout: "5m" },
  });
});

test.each(["constructor", "toString", "__proto__"])("a section called %s is a section like any other", (name) => {
  const custom = JSON.parse(`{ "${name}": { "depth": 1 }, "cache": { "${name}": 2 } }`) as Record<string, unknown>;
  const said = JSON.stringify(configOf(custom));
  expect(said).toContain(`"${name}":{"depth":1}`);
  expect(said).toContain(`"cache":{"${name}":2}`);
});
