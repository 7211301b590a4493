import { type Pipeline, pipelineSchema } from "@/machines/feldera/pipeline.schema";
import { configFaults } from "@/server/feldera/config-rules";
import { deletionRefusal, editRefusal, type RuleBroken } from "@/server/feldera/edit-rules";
import { nameFault } from "@/server/feldera/pipeline-names";
import { PROGRAM_BYTES_MAX, programBytes, tooLargeSentence } from "@/server/feldera/program-size";
import { promised } from "@/server/feldera/promised-status";
import { type FieldFault } from "@/server/firebolt/field-rule";
import { apis } from "@/server/kubernetes/apis";
import { type AdmissionRequest, issuesOf, keepsSpec, named, type ReviewDeps, type RulesOf } from "./rules";

export const felderaRules: RulesOf = {
  pipelines: { CREATE: newFaults, UPDATE: editFaults, DELETE: deletionFaults },
};

function newFaults(_: ReviewDeps, request: AdmissionRequest): FieldFault[] {
  const parsed = pipelineSchema.safeParse(named(request));
  if (!parsed.success) return issuesOf(parsed.error);
  const fault = nameFault(parsed.data.metadata.name);
  return [...(fault ? [{ path: "metadata.name", message: fault.message }] : []), ...specFaults(parsed.data)];
}

function editFaults(_: ReviewDeps, request: AdmissionRequest): FieldFault[] {
  if (keepsSpec(request)) return [];
  const parsed = pipelineSchema.safeParse(named(request));
  if (!parsed.success) return issuesOf(parsed.error);
  const { metadata, spec } = parsed.data;
  const old = before(request);
  return [...brokenBy(old && editRefusal(old, { name: metadata.name, spec })), ...specFaults(parsed.data)];
}

async function deletionFaults({ client }: ReviewDeps, request: AdmissionRequest): Promise<FieldFault[]> {
  const old = before(request);
  const faults = brokenBy(old && deletionRefusal(old));
  if (faults.length === 0) return [];
  const { metadata } = await client.get(apis.namespace, { name: request.namespace ?? "" });
  // With its namespace goes all that it runs on and has stored, whatever its status says.
  return metadata.deletionTimestamp ? [] : faults;
}

/** With what was asked of it and no pass has looked at yet. What cannot be read binds nobody. */
function before({ oldObject }: AdmissionRequest): Pipeline | null {
  const { data } = pipelineSchema.safeParse(oldObject);
  return data ? promised(data, Date.now()) : null;
}

function brokenBy(refusal: RuleBroken | null): FieldFault[] {
  if (!refusal) return [];
  const { fields, rule: message } = refusal;
  if (fields.length === 0) return [{ path: "metadata.name", message }];
  return fields.map((field) => ({ path: `spec.${field}`, message }));
}

function specFaults({ spec }: Pipeline): FieldFault[] {
  const bytes = programBytes(spec);
  const isTooLarge = bytes > PROGRAM_BYTES_MAX;
  return [
    ...(isTooLarge ? [{ path: "spec.program_code", message: tooLargeSentence(bytes) }] : []),
    ...configFaults(spec.runtime_config).map(({ field, message }) => ({
      path: `spec.runtime_config.${field}`,
      message,
    })),
  ];
}
