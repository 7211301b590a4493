import { type IncomingMessage } from "node:http";
import { type RequestContext } from "@/server/sandbox/admission-plugin";
import { invalid, notSupported, type FieldError } from "@/server/sandbox/field-error";
import { badRequestError, invalidError } from "@/server/sandbox/status-error";

const MANAGER_LENGTH_MAX = 128;

/** What the query of a write says about how to write. A wish that nobody understands must not become a real write. */
export function requestContextOf(
  request: IncomingMessage,
  verb: string,
  query: URLSearchParams,
  user: RequestContext["user"],
): RequestContext {
  const options = optionKinds[verb];
  if (options) {
    const errors = optionErrors(query);
    if (errors.length > 0) throw invalidError({ group: "meta.k8s.io", kind: options }, "", errors);
  }
  if (verb === "list" || verb === "watch" || verb === "deletecollection") checkNumbers(query);
  const manager = query.get("fieldManager") ?? request.headers["user-agent"]?.split("/")[0] ?? "unknown";
  const validation = query.get("fieldValidation");
  return {
    user,
    dryRun: query.getAll("dryRun").includes("All"),
    fieldManager: manager === "" ? "unknown" : manager,
    fieldValidation: validation === "Strict" || validation === "Ignore" ? validation : "Warn",
    warnings: [],
  };
}

const optionKinds: Readonly<Record<string, string>> = {
  create: "CreateOptions",
  update: "UpdateOptions",
  patch: "PatchOptions",
  delete: "DeleteOptions",
  deletecollection: "DeleteOptions",
};

function optionErrors(query: URLSearchParams): FieldError[] {
  const errors = dryRunErrors(query.getAll("dryRun"));
  const manager = query.get("fieldManager") ?? "";
  if (manager.length > MANAGER_LENGTH_MAX)
    errors.push(invalid("fieldManager", manager, `may not be longer than ${MANAGER_LENGTH_MAX}`));
  const validation = query.get("fieldValidation") ?? "";
  const known = ["", "Ignore", "Strict", "Warn"];
  if (!known.includes(validation)) errors.push(notSupported("fieldValidation", validation, known));
  return errors;
}

function checkNumbers(query: URLSearchParams) {
  for (const name of ["limit", "timeoutSeconds"]) {
    const value = query.get(name) ?? "";
    if (value !== "" && !/^[-+]?\d+$/.test(value))
      throw badRequestError(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  }
}

export function dryRunErrors(asked: readonly unknown[]): FieldError[] {
  return asked.every((value) => value === "All") ? [] : [notSupported("dryRun", asked, ["All"])];
}
