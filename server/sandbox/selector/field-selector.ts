import { own } from "@/server/sandbox/json";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { badRequestError } from "@/server/sandbox/status-error";
import { type ResourceType } from "@/server/sandbox/type-registry";

type FieldReader = (object: KubernetesObject) => string;

/** The query parameter `fieldSelector`: `metadata.name=x,status.phase!=Running`. Only fields that the kind offers. */
export function parseFieldSelector(type: ResourceType, text: string): (object: KubernetesObject) => boolean {
  const requirements = splitTerms(text).map((term) => requirementOf(type, term));
  return (object) => requirements.every((holds) => holds(object));
}

const metadataFields: Readonly<Record<string, FieldReader>> = {
  "metadata.name": ({ metadata }) => metadata.name,
  "metadata.namespace": ({ metadata }) => metadata.namespace ?? "",
};

function requirementOf(type: ResourceType, term: string): (object: KubernetesObject) => boolean {
  const match = /^(?<field>[^=!]+)(?<operator>==|!=|=)(?<value>.*)$/s.exec(term);
  if (!match?.groups) throw badRequestError(`invalid selector: '${term}'; can't understand '${term}'`);
  const field = (match.groups["field"] ?? "").trim();
  const value = (match.groups["value"] ?? "").replaceAll(/\\([\\,=])/g, "$1");
  const read = readerOf(type, field);
  return match.groups["operator"] === "!=" ? (object) => read(object) !== value : (object) => read(object) === value;
}

function readerOf(type: ResourceType, field: string): FieldReader {
  const readers = { ...metadataFields, ...type.strategy.selectableFields };
  const read = own(readers, field);
  if (read) return read;
  throw badRequestError(
    type.strategy.selectableFields
      ? `field label not supported: ${field}`
      : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** Commas separate terms; a backslash keeps one in a value. */
function splitTerms(text: string): string[] {
  return text.split(/(?<!\\),/).filter((term) => term.trim() !== "");
}
