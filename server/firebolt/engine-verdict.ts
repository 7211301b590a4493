import { type EngineClass } from "@/machines/firebolt/engine-class.schema";
import { type Engine, instanceNameOf } from "@/machines/firebolt/engine.schema";
import { faultText, type FieldFault } from "./field-rule";
import { engineNameMax } from "./generation-names";
import { quantityOf } from "./quantity";
import { boundsFaults, type ResourceBounds } from "./resource-bounds";
import { engineTemplateFaults } from "./template-rules";

/** Whether a spec may be run; the same rules as at admission, for clusters without the webhook. */
export type Verdict = { admitted: true } | { admitted: false; reason: string; message: string };

export type ClassFound = { name: string; engineClass: EngineClass | null } | null;

export function engineVerdict(engine: Engine, found: ClassFound, bounds: ResourceBounds): Verdict {
  if (found && !found.engineClass) {
    const message = `FireboltEngineClass "${found.name}" does not exist`;
    return { admitted: false, reason: "FireboltEngineClassNotFound", message };
  }
  const engineClass = found?.engineClass ?? null;
  const classFaults = engineClass ? classSpecFaults(engineClass) : [];
  if (classFaults.length > 0) {
    const message = `FireboltEngineClass "${found?.name ?? ""}" is not admissible: ${faultText(classFaults)}`;
    return { admitted: false, reason: "FireboltEngineClassUnready", message };
  }
  return (
    refusal("InstanceChanged", instanceFaults(engine)) ??
    refusal("NameRejected", nameFaults(engine.metadata.name)) ??
    refusal("TemplateRejected", engineSpecFaults(engine)) ??
    refusal("ResourceBoundsExceeded", engineBoundsFaults(engine, engineClass, bounds)) ?? { admitted: true }
  );
}

/** Rules of the engine's own spec, whatever its class says. */
export function engineSpecFaults({ spec }: Engine): FieldFault[] {
  return [...engineTemplateFaults(spec.template, "spec.template"), ...storageFaults(spec.storage)];
}

/** The same rules for what a class says. */
export function classSpecFaults({ spec }: EngineClass): FieldFault[] {
  return [...engineTemplateFaults(spec.template, "spec.template"), ...storageFaults(spec.storage)];
}

/** An API server without CEL, and without the webhook, lets the change in: the engine stays where it is and says so. */
function instanceFaults(engine: Engine): FieldFault[] {
  const { instanceRef } = engine.spec;
  const own = instanceNameOf(engine);
  if (instanceRef === own) return [];
  return [
    { path: "spec.instanceRef", message: `is immutable: the engine belongs to "${own}", not to "${instanceRef}"` },
  ];
}

export function nameFaults(name: string): FieldFault[] {
  const path = "metadata.name";
  if (name.length > engineNameMax) {
    const message = `must be at most ${engineNameMax} characters: the names of its pods and Services are made from it`;
    return [{ path, message }];
  }
  if (/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) return [];
  const message = "must be lower case letters, digits and -, begin with a letter and end with a letter or digit";
  return [{ path, message }];
}

function storageFaults(storage: Engine["spec"]["storage"] = {}): FieldFault[] {
  const amounts = {
    "spec.storage.persistentVolumeClaim.size": storage.persistentVolumeClaim?.size,
    "spec.storage.emptyDir.sizeLimit": storage.emptyDir?.sizeLimit,
  };
  const several = "at most one of persistentVolumeClaim, emptyDir and hostPath may be set";
  return [
    ...(Object.keys(storage).length > 1 ? [{ path: "spec.storage", message: several }] : []),
    ...Object.entries(amounts).flatMap(([path, amount]) =>
      amount === undefined || quantityOf(amount) !== null ? [] : [{ path, message: `"${amount}" is not a quantity` }],
    ),
  ];
}

export function engineBoundsFaults(
  engine: Engine,
  engineClass: EngineClass | null,
  bounds: ResourceBounds,
): FieldFault[] {
  const own = engineResources(engine.spec.template);
  const resources = own ?? engineResources(engineClass?.spec.template);
  return boundsFaults(resources, bounds, { inherited: own === undefined });
}

function engineResources(template: Engine["spec"]["template"]) {
  return template?.spec?.containers?.find(({ name }) => name === "engine")?.resources;
}

function refusal(reason: string, faults: readonly FieldFault[]): Verdict | null {
  return faults.length > 0 ? { admitted: false, reason, message: faultText(faults) } : null;
}
