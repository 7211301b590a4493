import { exactQuantity } from "@/server/sandbox/admission/exact-quantity";
import { invalid, type FieldError } from "@/server/sandbox/field-error";
import { recordOf } from "@/server/sandbox/json";
import { type Strategy } from "@/server/sandbox/type-registry";

/** What may be limited by a name without a slash. */
const standard: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "ephemeral-storage",
  ...["requests", "limits"].flatMap((side) => [`${side}.cpu`, `${side}.memory`, `${side}.ephemeral-storage`]),
  "requests.storage",
  "pods",
  "services",
  "services.nodeports",
  "services.loadbalancers",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
]);

export const quotaStrategy: Strategy = {
  validate: ({ spec = {} }) =>
    Object.entries(recordOf(spec["hard"])).flatMap(([name, value]) => hardErrors(name, value, `spec.hard[${name}]`)),
};

function hardErrors(name: string, value: unknown, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!name.includes("/") && !standard.has(name)) {
    errors.push(invalid(field, name, "must be a standard resource type or fully qualified"));
    errors.push(invalid(field, name, "must be a standard resource for quota"));
  }
  if (exactQuantity(value).nano < 0n) errors.push(invalid(field, String(value), "must be greater than or equal to 0"));
  return errors;
}
