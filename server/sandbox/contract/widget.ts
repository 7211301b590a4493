import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Target, unique, until } from "@/server/sandbox/contract/target";

/** A definition for one case, under a group that no other case uses. */
export type Widget = {
  group: string;
  plural: string;
  kind: string;
  crdPath: string;
  path: (namespace: string, name?: string, version?: string) => string;
  body: (name: string, more?: Record<string, unknown>) => KubernetesObject;
};

export type WidgetOptions = {
  schema?: Record<string, unknown>;
  version?: Record<string, unknown>;
  versions?: readonly Record<string, unknown>[];
  names?: Record<string, unknown>;
  group?: string;
};

const anySchema = {
  type: "object",
  properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
};

export function widgetDefinition({
  schema = anySchema,
  version = {},
  versions,
  names = {},
  group = `${unique("g")}.example.com`,
}: WidgetOptions = {}) {
  const plural = typeof names["plural"] === "string" ? names["plural"] : "widgets";
  const only = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: "widget", kind: "Widget", listKind: "WidgetList", ...names },
      versions: versions ?? [only],
    },
  };
}

export const crdsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Creates a definition and waits until its objects are served. */
export async function defineWidget(target: Target, options: WidgetOptions = {}): Promise<Widget> {
  const definition = widgetDefinition(options);
  const { group, names, versions } = definition.spec;
  const crdPath = `${crdsPath}/${definition.metadata.name}`;
  const created = await target.send("POST", crdsPath, { body: definition });
  if (created.status !== 201) throw new Error(created.message);
  target.cleanUp(crdPath);
  const [{ name: firstName }] = [...versions, { name: "v1" }];
  const first = typeof firstName === "string" ? firstName : "v1";
  await until(`${definition.metadata.name} established`, async () => {
    const { status } = await target.send("GET", `/apis/${group}/${first}/${names.plural}`);
    return status === 200 && (await isEstablished(target, crdPath));
  });
  return {
    group,
    plural: names.plural,
    kind: names.kind,
    crdPath,
    path: (namespace, name, version = first) =>
      `/apis/${group}/${version}/namespaces/${namespace}/${names.plural}${name === undefined ? "" : `/${name}`}`,
    body: (name, more = {}) => ({ apiVersion: `${group}/${first}`, kind: names.kind, metadata: { name }, ...more }),
  };
}

async function isEstablished(target: Target, crdPath: string): Promise<boolean> {
  return (await conditionOf(target, crdPath, "Established"))?.["status"] === "True";
}

export async function conditionOf(
  target: Target,
  path: string,
  type: string,
): Promise<Record<string, unknown> | undefined> {
  const { object } = await target.send("GET", path);
  const conditions = (object.status?.["conditions"] ?? []) as Record<string, unknown>[]; // A list of conditions in every kind that has one.
  return conditions.find((condition) => condition["type"] === type);
}
