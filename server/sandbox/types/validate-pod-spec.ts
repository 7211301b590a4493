import { duplicate, invalid, notFound, notSupported, required, type FieldError } from "@/server/sandbox/field-error";
import { isRecord, listOf, recordOf, textOf } from "@/server/sandbox/json";
import { labelsErrors } from "@/server/sandbox/types/validate-labels";

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/** The rules for a pod's spec, of a pod or of a template; `path` is where it stands, `claims` the volumes from elsewhere. */
export function validatePodSpec(value: unknown, path: string, claims: readonly string[] = []): FieldError[] {
  const spec = recordOf(value);
  const volumes = volumeErrors(listOf(spec["volumes"]), `${path}.volumes`);
  const known = new Set([...claims, ...listOf(spec["volumes"]).map((volume) => textOf(recordOf(volume)["name"]))]);
  const containers = listOf(spec["containers"]);
  const errors = [...volumes, ...labelsErrors(spec["nodeSelector"], `${path}.nodeSelector`)];
  if (containers.length === 0) errors.push(required(`${path}.containers`));
  errors.push(...containerErrors(containers, `${path}.containers`, known));
  errors.push(...containerErrors(listOf(spec["initContainers"]), `${path}.initContainers`, known));
  const policy = textOf(spec["restartPolicy"]);
  if (!["Always", "OnFailure", "Never"].includes(policy)) {
    errors.push(notSupported(`${path}.restartPolicy`, policy, ["Always", "OnFailure", "Never"]));
  }
  const grace = spec["terminationGracePeriodSeconds"];
  if (typeof grace === "number" && grace < 0) errors.push(negative(`${path}.terminationGracePeriodSeconds`, grace));
  return errors;
}

export function negative(field: string, value: number): FieldError {
  return invalid(field, value, "must be greater than or equal to 0");
}

function volumeErrors(volumes: readonly unknown[], path: string): FieldError[] {
  const seen = new Set<string>();
  return volumes.flatMap((volume, i) => {
    const name = textOf(recordOf(volume)["name"]);
    const at = `${path}[${i}].name`;
    return nameErrors(name, at, seen);
  });
}

/** `seen` are names that are taken. */
export function containerErrors(
  containers: readonly unknown[],
  path: string,
  volumes: ReadonlySet<string>,
  seen = new Set<string>(),
): FieldError[] {
  return containers.flatMap((container, i) => {
    const at = `${path}[${i}]`;
    const { name, image, ports, volumeMounts, env } = recordOf(container);
    return [
      ...nameErrors(textOf(name), `${at}.name`, seen),
      ...(textOf(image) === "" ? [required(`${at}.image`)] : []),
      ...listOf(ports).flatMap((port, j) =>
        portErrors(recordOf(port)["containerPort"], `${at}.ports[${j}].containerPort`),
      ),
      ...listOf(env).flatMap((variable, j) =>
        textOf(recordOf(variable)["name"]) === "" ? [required(`${at}.env[${j}].name`)] : [],
      ),
      ...listOf(volumeMounts).flatMap((mount, j) => mountErrors(mount, `${at}.volumeMounts[${j}]`, volumes)),
    ];
  });
}

function nameErrors(name: string, at: string, seen: Set<string>): FieldError[] {
  if (name === "") return [required(at)];
  if (seen.has(name)) return [duplicate(at, name)];
  seen.add(name);
  if (name.length > 63) return [invalid(at, name, "must be no more than 63 characters")];
  return LABEL.test(name) ? [] : [invalid(at, name, LABEL_RULE)];
}

export function portErrors(port: unknown, at: string): FieldError[] {
  if (port === undefined) return [required(at)];
  return typeof port === "number" && port > 0 && port < 65_536
    ? []
    : [invalid(at, port, "must be between 1 and 65535, inclusive")];
}

function mountErrors(mount: unknown, at: string, volumes: ReadonlySet<string>): FieldError[] {
  if (!isRecord(mount)) return [];
  const name = textOf(mount["name"]);
  if (name === "") return [required(`${at}.name`)];
  if (!volumes.has(name)) return [notFound(`${at}.name`, name)];
  return textOf(mount["mountPath"]) === "" ? [required(`${at}.mountPath`)] : [];
}
