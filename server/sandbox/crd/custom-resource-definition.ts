import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Schema } from "@/server/sandbox/crd/schema";

/** A CustomResourceDefinition that has passed validation. */
export type CustomResourceDefinition = KubernetesObject & { spec: CrdSpec; status?: CrdStatus };

export type CrdSpec = {
  group: string;
  scope: "Namespaced" | "Cluster";
  names: CrdNames;
  versions: readonly CrdVersion[];
  preserveUnknownFields?: boolean;
  conversion?: { strategy: string };
};

export type CrdNames = {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: readonly string[];
  categories?: readonly string[];
};

export type CrdVersion = {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: {
    status?: Record<string, never>;
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  };
  additionalPrinterColumns?: readonly PrinterColumn[];
  selectableFields?: readonly { jsonPath: string }[];
};

export type PrinterColumn = {
  name: string;
  type: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath: string;
};

type CrdStatus = {
  conditions?: readonly CrdCondition[];
  acceptedNames?: Partial<CrdNames>;
  storedVersions?: readonly string[];
};

export type CrdCondition = {
  type: string;
  status: "True" | "False" | "Unknown";
  reason: string;
  message: string;
  lastTransitionTime: string;
};

export const crdRef = { group: "apiextensions.k8s.io", plural: "customresourcedefinitions" };

/** Only validated definitions are stored, so what the cluster holds under this resource has the shape. */
export function asCrd(object: KubernetesObject): CustomResourceDefinition {
  return object as CustomResourceDefinition;
}
