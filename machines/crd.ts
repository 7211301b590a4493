import { schemaAt, structuralSchema, type StructuralSchema } from "./structural-schema";
import type { Kind } from "./kind";

/** The CustomResourceDefinition of a kind, with its schema generated from the same zod schemas that parse its resources. */
export function crdOf({ api, crd }: Kind) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${api.plural}.${api.group}` },
    spec: {
      group: api.group,
      scope: api.namespaced ? "Namespaced" : "Cluster",
      names: {
        kind: api.kind,
        listKind: `${api.kind}List`,
        plural: api.plural,
        singular: api.singular,
        ...(api.shortNames.length && { shortNames: [...api.shortNames] }),
      },
      versions: [
        {
          name: api.version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: objectSchema(crd) },
          subresources: { status: {}, ...(crd.scale && { scale: { ...crd.scale } }) },
          additionalPrinterColumns: crd.columns.map((column) => ({ ...column })),
        },
      ],
    },
  };
}

function objectSchema({ spec, status, rules = {} }: Kind["crd"]): StructuralSchema {
  const schema: StructuralSchema = {
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec: structuralSchema(spec, "spec"),
      status: structuralSchema(status, "status"),
    },
  };
  for (const [path, ofPath] of Object.entries(rules)) {
    schemaAt(schema, path)["x-kubernetes-validations"] = ofPath.map((rule) => ({ ...rule }));
  }
  return schema;
}
