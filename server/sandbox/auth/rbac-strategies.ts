import { type KubernetesObject } from "@/server/kubernetes/object";
import { type FieldError, invalid, notSupported, required } from "@/server/sandbox/field-error";
import { equalJson, isRecord, listOf, recordOf, textOf } from "@/server/sandbox/json";
import { type Strategy } from "@/server/sandbox/type-registry";

const group = "rbac.authorization.k8s.io";
const roles: Strategy = { validate: roleErrors };
const bindings: Strategy = { normalize: fillIn, validate: bindingErrors };

/** How roles and bindings are completed and checked, by resource. */
export const rbacStrategies: Readonly<Record<string, Strategy>> = {
  [`roles.${group}`]: roles,
  [`clusterroles.${group}`]: roles,
  [`rolebindings.${group}`]: bindings,
  [`clusterrolebindings.${group}`]: bindings,
};

function roleErrors(role: KubernetesObject): FieldError[] {
  return listOf(role["rules"])
    .map(recordOf)
    .flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, role.kind === "Role"));
}

function ruleErrors(rule: Record<string, unknown>, path: string, namespaced: boolean): FieldError[] {
  const has = (key: string) => listOf(rule[key]).length > 0;
  const errors: FieldError[] = [];
  if (!has("verbs")) errors.push(required(`${path}.verbs`, "verbs must contain at least one value"));
  if (has("nonResourceURLs")) {
    if (namespaced)
      errors.push(
        invalid(
          `${path}.nonResourceURLs`,
          rule["nonResourceURLs"],
          "namespaced rules cannot apply to non-resource URLs",
        ),
      );
    if (has("apiGroups") || has("resources") || has("resourceNames")) {
      errors.push(
        invalid(
          `${path}.nonResourceURLs`,
          rule["nonResourceURLs"],
          "rules cannot apply to both regular resources and non-resource URLs",
        ),
      );
    }
    return errors;
  }
  if (!has("apiGroups"))
    errors.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  if (!has("resources")) errors.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
  return errors;
}

function fillIn(binding: KubernetesObject): void {
  if (isRecord(binding["roleRef"])) binding["roleRef"]["apiGroup"] ||= group;
  for (const subject of listOf(binding["subjects"]).filter(isRecord)) {
    if (subject["kind"] === "User" || subject["kind"] === "Group") subject["apiGroup"] ||= group;
  }
}

function bindingErrors(binding: KubernetesObject, old: KubernetesObject | undefined): FieldError[] {
  const ref = recordOf(binding["roleRef"]);
  const kinds = binding.kind === "RoleBinding" ? ["Role", "ClusterRole"] : ["ClusterRole"];
  const errors: FieldError[] = [];
  if (ref["apiGroup"] !== group) errors.push(notSupported("roleRef.apiGroup", textOf(ref["apiGroup"]), [group]));
  if (!kinds.includes(textOf(ref["kind"]))) errors.push(notSupported("roleRef.kind", textOf(ref["kind"]), kinds));
  if (textOf(ref["name"]) === "") errors.push(required("roleRef.name"));
  if (old && !equalJson(ref, old["roleRef"])) {
    const badText = `rbac.RoleRef{APIGroup:"${textOf(ref["apiGroup"])}", Kind:"${textOf(ref["kind"])}", Name:"${textOf(ref["name"])}"}`;
    errors.push({ type: "FieldValueInvalid", field: "roleRef", badText, detail: "cannot change roleRef" });
  }
  const subjects = listOf(binding["subjects"]).map(recordOf);
  return [
    ...errors,
    ...subjects.flatMap((subject, index) =>
      subjectErrors(subject, `subjects[${index}]`, binding.kind === "RoleBinding"),
    ),
  ];
}

function subjectErrors(subject: Record<string, unknown>, path: string, namespaced: boolean): FieldError[] {
  const kind = textOf(subject["kind"]);
  const apiGroup = textOf(subject["apiGroup"]);
  const errors = textOf(subject["name"]) === "" ? [required(`${path}.name`)] : [];
  if (kind === "ServiceAccount") {
    if (apiGroup !== "") errors.push(notSupported(`${path}.apiGroup`, apiGroup, [""]));
    if (!namespaced && textOf(subject["namespace"]) === "") errors.push(required(`${path}.namespace`));
    return errors;
  }
  if (kind !== "User" && kind !== "Group")
    return [...errors, notSupported(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  return apiGroup === group ? errors : [...errors, notSupported(`${path}.apiGroup`, apiGroup, [group])];
}
