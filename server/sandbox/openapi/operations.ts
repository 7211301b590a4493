import { type ResourceType, type Verb } from "@/server/sandbox/type-registry";

/** How one version of OpenAPI writes the parts of an operation. */
export type Dialect = {
  parameter: (name: string, place: "path" | "query", kind: string) => Record<string, unknown>;
  body: (verb: Verb) => Record<string, unknown>;
  answer: () => Record<string, unknown>;
};

const methods: Partial<Record<Verb, string>> = {
  get: "get",
  list: "get",
  create: "post",
  update: "put",
  patch: "patch",
  delete: "delete",
  deletecollection: "delete",
};
const actions: Partial<Record<Verb, string>> = { create: "post", update: "put" };
const withBody: ReadonlySet<Verb> = new Set<Verb>(["create", "update", "patch"]);

const queries: Partial<Record<Verb, readonly string[]>> = {
  create: ["dryRun", "fieldManager", "fieldValidation"],
  update: ["dryRun", "fieldManager", "fieldValidation"],
  patch: ["dryRun", "fieldManager", "fieldValidation", "force"],
  list: ["labelSelector", "fieldSelector", "limit", "continue", "watch"],
};

/** The paths of a resource with their operations: enough to see what can be asked of it and with which parameters. */
export function operationsOf(type: ResourceType, dialect: Dialect): Record<string, Record<string, unknown>> {
  const root = type.group === "" ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced ? `${root}/namespaces/{namespace}` : root;
  const onCollection: readonly Verb[] = ["list", "create", "deletecollection"];
  const onOne: readonly Verb[] = ["get", "update", "patch", "delete"];
  const paths: Record<string, Record<string, unknown>> = {};
  addPath(`${scope}/${type.plural}`, onCollection, ["namespace"]);
  addPath(`${scope}/${type.plural}/{name}`, onOne, ["name", "namespace"]);
  return paths;

  function addPath(path: string, verbs: readonly Verb[], names: readonly string[]) {
    const offered = verbs.filter((verb) => type.verbs.includes(verb));
    if (offered.length === 0) return;
    const operations = offered.map((verb) => [methods[verb] ?? verb, operationOf(verb)] as const);
    const used = names.filter((name) => path.includes(`{${name}}`));
    paths[path] = {
      ...Object.fromEntries(operations),
      parameters: used.map((name) => dialect.parameter(name, "path", "string")),
    };
  }

  function operationOf(verb: Verb): Record<string, unknown> {
    const { bodyParameter, ...body } = withBody.has(verb) ? dialect.body(verb) : {};
    const query = (queries[verb] ?? []).map((name) => dialect.parameter(name, "query", "string"));
    const { group, version, kind } = type;
    return {
      operationId: `${verb}${titled(group)}${titled(version)}${type.namespaced ? "Namespaced" : ""}${kind}`,
      "x-kubernetes-action": actions[verb] ?? verb,
      "x-kubernetes-group-version-kind": { group, version, kind },
      parameters: [...(bodyParameter ? [bodyParameter] : []), ...query],
      ...body,
      responses: { [verb === "create" ? "201" : "200"]: dialect.answer() },
    };
  }
}

function titled(text: string): string {
  const first = text.split(".")[0] ?? "";
  return first.charAt(0).toUpperCase() + first.slice(1);
}
