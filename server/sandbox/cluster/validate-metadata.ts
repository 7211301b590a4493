import { type KubernetesObject, type OwnerReference } from "@/server/kubernetes/object";
import { forbidden, invalid, required, tooLong, type FieldError } from "@/server/sandbox/field-error";
import { type ResourceType } from "@/server/sandbox/type-registry";

/** The rules for metadata that all kinds share. */
export function validateMetadata(
  type: ResourceType,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
): FieldError[] {
  const { metadata } = object;
  const errors: FieldError[] = [];
  if (!old) errors.push(...nameErrors(type, metadata.name));
  // What is shared with the stored object was checked when that was written.
  const isNew = (part: "labels" | "annotations") => metadata[part] !== old?.metadata[part];
  for (const [key, value] of Object.entries(isNew("labels") ? (metadata.labels ?? {}) : {})) {
    errors.push(...keyErrors("metadata.labels", key), ...labelValueErrors("metadata.labels", value));
  }
  if (isNew("annotations")) errors.push(...annotationErrors(metadata.annotations ?? {}));
  errors.push(...ownerErrors(metadata.ownerReferences ?? []));
  if (old?.metadata.deletionTimestamp)
    errors.push(...newFinalizers(metadata.finalizers ?? [], old.metadata.finalizers ?? []));
  return errors;
}

const ANNOTATIONS_BYTES_MAX = 256 * 1_024;

function annotationErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  const field = "metadata.annotations";
  const errors = Object.keys(annotations).flatMap((key) => keyErrors(field, key.toLowerCase()));
  return bytesOf(Object.entries(annotations).flat()) > ANNOTATIONS_BYTES_MAX
    ? [...errors, tooLong(field, ANNOTATIONS_BYTES_MAX)]
    : errors;
}

/** What the texts take. */
export function bytesOf(texts: readonly unknown[], encoding: BufferEncoding = "utf8"): number {
  return texts.reduce<number>(
    (bytes, text) => bytes + (typeof text === "string" ? Buffer.byteLength(text, encoding) : 0),
    0,
  );
}

/** The parts of an owner reference, and what the refusal calls them. */
const ownerParts = [
  ["apiVersion", "version"],
  ["kind", "kind"],
  ["name", "name"],
  ["uid", "uid"],
] as const;

function ownerErrors(owners: readonly OwnerReference[]): FieldError[] {
  const field = "metadata.ownerReferences";
  const errors = owners.flatMap((owner) =>
    ownerParts
      .filter(([part]) => !owner[part])
      .map(([part, word]) => invalid(`${field}.${part}`, "", `${word} must not be empty`)),
  );
  const [first, second] = owners.filter(({ controller }) => controller).map(({ kind, name }) => `${kind}/${name}`);
  if (first === undefined || second === undefined) return errors;
  const rule = 'Only one reference can have Controller set to true. Found "true" in references for';
  return [...errors, invalid(field, owners, `${rule} ${first} and ${second}`)];
}

function newFinalizers(finalizers: readonly string[], known: readonly string[]): FieldError[] {
  const added = finalizers.filter((name) => !known.includes(name));
  if (added.length === 0) return [];
  const rule = "no new finalizers can be added if the object is being deleted, found new finalizers";
  return [
    forbidden("metadata.finalizers", `${rule} []string{${added.map((name) => JSON.stringify(name)).join(", ")}}`),
  ];
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035_RULE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

type NameRule = { pattern: RegExp; lengthMax: number; rule: string };
const subdomainName: NameRule = { pattern: SUBDOMAIN, lengthMax: 253, rule: SUBDOMAIN_RULE };
const labelName: NameRule = { pattern: LABEL, lengthMax: 63, rule: LABEL_RULE };
const serviceName: NameRule = { pattern: LABEL_1035, lengthMax: 63, rule: LABEL_1035_RULE };
const pathName: NameRule = { pattern: /^(?!\.\.?$)[^/%]+$/, lengthMax: 253, rule: "may not contain '/' or '%'" };

/** Kinds whose names follow another rule than a DNS subdomain. */
const nameRules: Readonly<Record<string, NameRule>> = {
  namespaces: labelName,
  services: serviceName,
  "roles.rbac.authorization.k8s.io": pathName,
  "rolebindings.rbac.authorization.k8s.io": pathName,
  "clusterroles.rbac.authorization.k8s.io": pathName,
  "clusterrolebindings.rbac.authorization.k8s.io": pathName,
};

function nameErrors(type: ResourceType, name: string): FieldError[] {
  if (!name) return [required("metadata.name", "name or generateName is required")];
  const { pattern, lengthMax, rule } = nameRules[type.storageKey] ?? subdomainName;
  const errors: FieldError[] = [];
  if (name.length > lengthMax)
    errors.push(invalid("metadata.name", name, `must be no more than ${lengthMax} characters`));
  if (!pattern.test(name)) errors.push(invalid("metadata.name", name, rule));
  return errors;
}

export function keyErrors(field: string, key: string): FieldError[] {
  const slash = key.lastIndexOf("/");
  const [prefix, name] = slash < 0 ? [null, key] : [key.slice(0, slash), key.slice(slash + 1)];
  const errors: FieldError[] = [];
  if (prefix === "") errors.push(invalid(field, key, "prefix part must be non-empty"));
  else if (prefix !== null && !SUBDOMAIN.test(prefix))
    errors.push(invalid(field, key, `prefix part ${SUBDOMAIN_RULE}`));
  if (name === "") errors.push(invalid(field, key, "name part must be non-empty"));
  else if (name.length > 63) errors.push(invalid(field, key, "name part must be no more than 63 characters"));
  if (!QUALIFIED.test(name)) errors.push(invalid(field, key, QUALIFIED_RULE));
  return errors;
}

export function labelValueErrors(field: string, value: unknown): FieldError[] {
  if (typeof value !== "string") return [invalid(field, value, "must be a string")];
  const errors: FieldError[] = [];
  if (value.length > 63) errors.push(invalid(field, value, "must be no more than 63 characters"));
  if (!LABEL_VALUE.test(value)) errors.push(invalid(field, value, LABEL_VALUE_RULE));
  return errors;
}
