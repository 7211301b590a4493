import { type Instance } from "@/machines/firebolt/instance.schema";

/** Whether an engine may be built on its instance, and what it needs of it. */
export type InstanceGate = { open: true; id: string; metadataEndpoint: string } | { open: false; message: string };

export function instanceGate(name: string, instance: Instance | null): InstanceGate {
  if (!instance) return { open: false, message: `FireboltInstance "${name}" does not exist` };
  const { id } = instance.spec;
  const { metadataEndpoint, phase } = instance.status;
  if (!id) return { open: false, message: `FireboltInstance "${name}" has no id yet` };
  if (!metadataEndpoint) {
    return { open: false, message: `FireboltInstance "${name}" is ${phase} and has no metadata endpoint` };
  }
  return { open: true, id, metadataEndpoint };
}
