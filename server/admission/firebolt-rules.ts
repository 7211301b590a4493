import { engineClassSchema } from "@/machines/firebolt/engine-class.schema";
import { engineSchema } from "@/machines/firebolt/engine.schema";
import { firebolt } from "@/machines/firebolt/family";
import { classSpecFaults, engineBoundsFaults, engineSpecFaults, nameFaults } from "@/server/firebolt/engine-verdict";
import { type FieldFault } from "@/server/firebolt/field-rule";
import { type KubernetesClient } from "@/server/kubernetes/client";
import { isNotFound } from "@/server/kubernetes/errors";
import { type AdmissionRequest, issuesOf, keepsSpec, named, type ReviewDeps, type RulesOf } from "./rules";

export const fireboltRules: RulesOf = {
  fireboltengines: { CREATE: engineFaults, UPDATE: engineFaults },
  fireboltengineclasses: { CREATE: classFaults, UPDATE: classFaults, DELETE: boundClassFaults },
};

async function engineFaults({ client, bounds }: ReviewDeps, request: AdmissionRequest): Promise<FieldFault[]> {
  const parsed = engineSchema.safeParse(named(request));
  const kept = keepsSpec(request);
  if (!parsed.success) return kept ? [] : issuesOf(parsed.error);
  const engine = parsed.data;
  const engineClass = await classOf(client, engine.metadata.namespace, engine.spec.engineClassRef);
  // A maximum holds for every update: an engine above it does not go on as if it were not.
  const excess = engineBoundsFaults(engine, engineClass, bounds);
  if (kept) return excess;
  const old = request.oldObject?.spec as { instanceRef?: string } | undefined;
  const moved = old?.instanceRef !== undefined && old.instanceRef !== engine.spec.instanceRef;
  return [
    ...nameFaults(engine.metadata.name),
    ...(moved ? [{ path: "spec.instanceRef", message: "instanceRef is immutable" }] : []),
    ...engineSpecFaults(engine),
    ...excess,
  ];
}

function classFaults(_: ReviewDeps, request: AdmissionRequest): FieldFault[] {
  if (keepsSpec(request)) return [];
  const parsed = engineClassSchema.safeParse(named(request));
  return parsed.success ? classSpecFaults(parsed.data) : issuesOf(parsed.error);
}

async function boundClassFaults({ client }: ReviewDeps, request: AdmissionRequest): Promise<FieldFault[]> {
  const { items } = await client.list(firebolt.kinds.engine.api, { namespace: request.namespace });
  const bound = items.filter(({ spec }) => spec?.engineClassRef === request.name).map(({ metadata }) => metadata.name);
  if (bound.length === 0) return [];
  return [{ path: "metadata.name", message: `the class is still named by ${bound.slice(0, 5).join(", ")}` }];
}

async function classOf(client: KubernetesClient, namespace: string, name: string | undefined) {
  if (name === undefined) return null;
  try {
    const found = engineClassSchema.safeParse(await client.get(firebolt.kinds.engineClass.api, { namespace, name }));
    return found.success ? found.data : null;
  } catch (error) {
    // An engine may come before its class; the reconciler tells that it waits.
    if (isNotFound(error)) return null;
    throw error;
  }
}
