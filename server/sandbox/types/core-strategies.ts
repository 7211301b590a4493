import { type KubernetesObject } from "@/server/kubernetes/object";
import { exactQuantity } from "@/server/sandbox/admission/exact-quantity";
import { bytesOf } from "@/server/sandbox/cluster/validate-metadata";
import { forbidden, invalid, required, tooLong, type FieldError } from "@/server/sandbox/field-error";
import { equalJson, isRecord, listOf, recordOf, textOf } from "@/server/sandbox/json";
import { type Strategy } from "@/server/sandbox/type-registry";
import { defaultPodSpec, fill, fillSpec, records } from "@/server/sandbox/types/default-pod-spec";
import { ephemeralContainersDoor } from "@/server/sandbox/types/ephemeral-containers-door";
import { validatePodSpec } from "@/server/sandbox/types/validate-pod-spec";

export const coreStrategies: Readonly<Record<string, Strategy>> = {
  namespaces: {
    prepareCreate(namespace) {
      namespace.spec = { finalizers: ["kubernetes"] };
      namespace.status = { phase: "Active" };
      labelNamespace(namespace);
    },
    prepareUpdate(namespace, old) {
      // Finalizers of a namespace go through its own door.
      namespace.spec = { ...old.spec };
      labelNamespace(namespace);
    },
  },
  pods: {
    normalize(pod) {
      if (!isRecord(pod.spec)) return;
      defaultPodSpec(pod.spec);
      fill(pod.spec, { enableServiceLinks: true });
    },
    prepareCreate(pod) {
      pod.status = { phase: "Pending", qosClass: qosClassOf(pod) };
    },
    validate: (pod, old) => [...validatePodSpec(pod.spec, "spec"), ...(old ? podUpdate(pod, old) : podCreate(pod))],
    doors: { ephemeralcontainers: ephemeralContainersDoor },
    selectableFields: {
      "spec.nodeName": field("spec", "nodeName"),
      "spec.restartPolicy": field("spec", "restartPolicy"),
      "spec.schedulerName": field("spec", "schedulerName"),
      "spec.serviceAccountName": field("spec", "serviceAccountName"),
      "spec.hostNetwork": (pod) => String(pod.spec?.["hostNetwork"] === true),
      "status.phase": field("status", "phase"),
      "status.podIP": field("status", "podIP"),
      "status.nominatedNodeName": field("status", "nominatedNodeName"),
    },
  },
  nodes: { selectableFields: { "spec.unschedulable": (node) => String(node.spec?.["unschedulable"] === true) } },
  configmaps: {
    validate: (object, old) => [
      ...keyErrors(object, ["data", "binaryData"]),
      ...sizeErrors("[]", valueBytes(object, "data") + valueBytes(object, "binaryData", "base64")),
      ...frozenErrors(object, old, ["data", "binaryData"]),
    ],
  },
  secrets: {
    normalize: encodeStrings,
    validate: (object, old) => [
      ...keyErrors(object, ["data"]),
      ...sizeErrors("data", valueBytes(object, "data", "base64")),
      ...frozenErrors(object, old, ["data"]),
      ...secretErrors(object, old),
    ],
    selectableFields: { type: (secret) => textOf(secret["type"]) },
  },
  persistentvolumeclaims: {
    normalize: (claim) => fillSpec(claim, { volumeMode: "Filesystem" }),
    prepareCreate(claim) {
      claim.status = { phase: "Pending" };
      addFinalizer(claim, "kubernetes.io/pvc-protection");
    },
    validate: claimErrors,
  },
  persistentvolumes: {
    normalize: (volume) => fillSpec(volume, { volumeMode: "Filesystem", persistentVolumeReclaimPolicy: "Retain" }),
    prepareCreate(volume) {
      volume.status = { phase: "Pending" };
      addFinalizer(volume, "kubernetes.io/pv-protection");
    },
    validate: volumeErrors,
  },
  endpoints: {
    createOnUpdate: true,
    normalize(endpoints) {
      for (const subset of records(endpoints["subsets"]))
        for (const port of records(subset["ports"])) fill(port, { protocol: "TCP" });
    },
  },
  events: {
    createOnUpdate: true,
    selectableFields: {
      ...Object.fromEntries(
        ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map((key) => [
          `involvedObject.${key}`,
          field("involvedObject", key),
        ]),
      ),
      reason: (event) => textOf(event["reason"]),
      reportingComponent: (event) => textOf(event["reportingComponent"]),
      source: (event) => textOf(recordOf(event["source"])["component"]) || textOf(event["reportingComponent"]),
      type: (event) => textOf(event["type"]),
    },
  },
};

export function field(part: string, key: string): (object: KubernetesObject) => string {
  return (object) => textOf(recordOf(object[part])[key]);
}

function labelNamespace({ metadata }: KubernetesObject) {
  metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
}

function addFinalizer({ metadata }: KubernetesObject, finalizer: string) {
  metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), finalizer])];
}

/** Best effort without any request, guaranteed when all that is limited is asked for in full. */
function qosClassOf({ spec = {} }: KubernetesObject): string {
  const all = [...records(spec["containers"]), ...records(spec["initContainers"])].map(({ resources }) =>
    recordOf(resources),
  );
  const asked = all.flatMap(({ requests, limits }) => [
    ...Object.keys(recordOf(requests)),
    ...Object.keys(recordOf(limits)),
  ]);
  if (!asked.some((name) => name === "cpu" || name === "memory")) return "BestEffort";
  const full = all.every(({ requests, limits }) =>
    ["cpu", "memory"].every(
      (name) => recordOf(limits)[name] !== undefined && equalJson(recordOf(requests)[name], recordOf(limits)[name]),
    ),
  );
  return full ? "Guaranteed" : "Burstable";
}

/** Who is to look into a pod comes when there is one. */
function podCreate({ spec = {} }: KubernetesObject): FieldError[] {
  if (listOf(spec["ephemeralContainers"]).length === 0) return [];
  return [forbidden("spec.ephemeralContainers", "cannot be set on create")];
}

/** Of a pod that exists, only images, the deadline, and more tolerations may change. Binding is the system's. */
function podUpdate(pod: KubernetesObject, old: KubernetesObject): FieldError[] {
  const before = textOf(old.spec?.["nodeName"]) === "" ? { ...old.spec, nodeName: pod.spec?.["nodeName"] } : old.spec;
  if (equalJson(fixedParts(pod.spec), fixedParts(before))) return [];
  return [
    forbidden(
      "spec",
      "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
    ),
  ];
}

function fixedParts(spec: unknown): Record<string, unknown> {
  const withoutImage = (container: Record<string, unknown>) => ({ ...container, image: "" });
  return {
    ...recordOf(spec),
    containers: records(recordOf(spec)["containers"]).map(withoutImage),
    initContainers: records(recordOf(spec)["initContainers"]).map(withoutImage),
    activeDeadlineSeconds: undefined,
    tolerations: undefined,
    schedulingGates: undefined,
  };
}

const KEY = /^[-._a-zA-Z0-9]+$/;
const KEY_RULE =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

function keyErrors(object: KubernetesObject, fields: readonly string[]): FieldError[] {
  return fields.flatMap((name) =>
    Object.keys(recordOf(object[name])).flatMap((key) =>
      KEY.test(key) ? [] : [invalid(`${name}[${key}]`, key, KEY_RULE)],
    ),
  );
}

const BYTES_MAX = 1_024 * 1_024;

function valueBytes(object: KubernetesObject, field: string, encoding?: BufferEncoding): number {
  return bytesOf(Object.values(recordOf(object[field])), encoding);
}

function sizeErrors(field: string, bytes: number): FieldError[] {
  return bytes > BYTES_MAX ? [tooLong(field, BYTES_MAX)] : [];
}

function frozenErrors(
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  fields: readonly string[],
): FieldError[] {
  if (old?.["immutable"] !== true) return [];
  const changed = fields.filter((name) => !equalJson(object[name] ?? {}, old[name] ?? {}));
  const errors = changed.map((name) => forbidden(name, "field is immutable when `immutable` is set"));
  return object["immutable"] === true
    ? errors
    : [forbidden("immutable", "field is immutable when `immutable` is set"), ...errors];
}

/** stringData is for writing only: its values end up in data. */
function encodeStrings(secret: KubernetesObject) {
  fill(secret, { type: "Opaque" });
  const { stringData } = secret;
  if (!isRecord(stringData)) return;
  const encoded = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(textOf(value)).toString("base64"),
  ]);
  secret["data"] = { ...recordOf(secret["data"]), ...Object.fromEntries(encoded) };
  delete secret["stringData"];
}

function secretErrors(secret: KubernetesObject, old: KubernetesObject | undefined): FieldError[] {
  if (!old || secret["type"] === old["type"]) return [];
  return [invalid("type", secret["type"], "field is immutable")];
}

function volumeErrors({ spec = {} }: KubernetesObject): FieldError[] {
  const errors: FieldError[] = [];
  if (listOf(spec["accessModes"]).length === 0) errors.push(required("spec.accessModes"));
  if (Object.keys(recordOf(spec["capacity"])).length === 0) errors.push(required("spec.capacity"));
  if (!Object.entries(spec).some(([name, value]) => isRecord(value) && !notSources.has(name)))
    errors.push(required("spec", "must specify a volume type"));
  return errors;
}

/** What a volume holds besides where it is kept. */
const notSources: ReadonlySet<string> = new Set(["capacity", "claimRef", "nodeAffinity"]);

function claimErrors({ spec = {} }: KubernetesObject, old: KubernetesObject | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if (listOf(spec["accessModes"]).length === 0)
    errors.push(required("spec.accessModes", "at least 1 access mode is required"));
  const { storage } = recordOf(recordOf(spec["resources"])["requests"]);
  if (storage === undefined) errors.push(required("spec.resources[storage]"));
  else if (exactQuantity(storage).nano <= 0n)
    errors.push(invalid("spec.resources[storage]", storage, "must be greater than zero"));
  if (!old) return errors;
  const fixed = (claim: Record<string, unknown>) => ({
    ...claim,
    resources: undefined,
    volumeName: undefined,
    storageClassName: claim["storageClassName"] ?? "",
  });
  if (!equalJson(fixed(spec), fixed(old.spec ?? {}))) {
    errors.push(
      forbidden(
        "spec",
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
      ),
    );
  }
  return errors;
}
