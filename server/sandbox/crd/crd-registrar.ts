import { type AdmissionPlugin } from "@/server/sandbox/admission-plugin";
import { type Cluster } from "@/server/sandbox/cluster";
import { timeOf } from "@/server/sandbox/cluster/write";
import { judgeNames, type TakenNames, withCondition } from "@/server/sandbox/crd/accepted-names";
import { asCrd, crdRef, type CustomResourceDefinition } from "@/server/sandbox/crd/custom-resource-definition";
import { customResourceTypes } from "@/server/sandbox/crd/custom-resource-type";
import { equalJson } from "@/server/sandbox/json";
import { StatusError } from "@/server/sandbox/status-error";
import { type ResourceType } from "@/server/sandbox/type-registry";

const ctx = { user: { username: "system:apiserver", groups: ["system:masters"] } };
const finalizer = "customresourcecleanup.apiextensions.k8s.io";

type Registration = { types: ResourceType[]; of: CustomResourceDefinition; stopCleanup: (() => void) | null };

/** Serves what CustomResourceDefinitions define from the moment they are stored, and empties a definition that is deleted. */
export function startCrds(cluster: Cluster): { stop: () => void; plugin: AdmissionPlugin } {
  const registered = new Map<string, Registration>();

  function register(crd: CustomResourceDefinition) {
    const { name } = crd.metadata;
    const old = registered.get(name);
    const { acceptedNames, conditions } = judgeNames(crd, namesTakenBeside(cluster, crd), timeOf(cluster.clock));
    const status = { ...crd.status, acceptedNames, conditions };
    const established = conditions.some(({ type, status: is }) => type === "Established" && is === "True");
    const named = { ...crd, status };
    if (established && !(old && isSame(old.of, named))) {
      remove(old?.types ?? []);
      const types = customResourceTypes(named);
      cluster.types.add(...types);
      registered.set(name, { types, of: named, stopCleanup: old?.stopCleanup ?? null });
    }
    if (!crd.metadata.deletionTimestamp) void settle(cluster, crd, status, established);
    else if (crd.metadata.finalizers?.includes(finalizer)) beginCleanup(crd);
  }

  function beginCleanup(crd: CustomResourceDefinition) {
    const registration = registered.get(crd.metadata.name);
    if (!registration) return void dropFinalizer(cluster, crd);
    registration.stopCleanup ??= emptyOut(cluster, crd);
  }

  function remove(types: readonly ResourceType[]) {
    types.forEach((type) => cluster.types.remove(type));
  }

  function unregister(name: string) {
    const registration = registered.get(name);
    registration?.stopCleanup?.();
    remove(registration?.types ?? []);
    registered.delete(name);
    // Names that became free may be wanted by another definition.
    for (const other of cluster.list(crdRef)) if (!registered.has(other.metadata.name)) register(asCrd(other));
  }

  for (const crd of cluster.list(crdRef)) register(asCrd(crd));
  const stop = cluster.watch(crdRef, ({ type, object }) => {
    if (type === "DELETED") unregister(object.metadata.name);
    else register(asCrd(object));
  });
  return {
    plugin: terminationGate(registered),
    stop: () => {
      stop();
      for (const { stopCleanup } of registered.values()) stopCleanup?.();
    },
  };
}

function isSame(a: CustomResourceDefinition, b: CustomResourceDefinition): boolean {
  return equalJson(a.spec, b.spec) && equalJson(a.status?.acceptedNames, b.status?.acceptedNames);
}

function namesTakenBeside(cluster: Cluster, crd: CustomResourceDefinition): TakenNames {
  const others = cluster.types
    .all()
    .filter(({ group, plural }) => group === crd.spec.group && plural !== crd.spec.names.plural);
  return {
    resources: new Set(others.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames])),
    kinds: new Set(others.flatMap(({ kind }) => [kind, `${kind}List`])),
  };
}

/** Writes the verdict down, if it says anything that is not there yet. */
async function settle(
  cluster: Cluster,
  crd: CustomResourceDefinition,
  status: NonNullable<CustomResourceDefinition["status"]>,
  established: boolean,
) {
  const at = { name: crd.metadata.name };
  await ignoringRefusals(async () => {
    if (established && !crd.metadata.finalizers?.includes(finalizer)) {
      await cluster.change(
        crdRef,
        at,
        (old) => {
          if (old.metadata.deletionTimestamp || old.metadata.finalizers?.includes(finalizer)) return old;
          return { ...old, metadata: { ...old.metadata, finalizers: [...(old.metadata.finalizers ?? []), finalizer] } };
        },
        ctx,
      );
    }
    if (equalJson(crd.status, status)) return;
    const { acceptedNames, conditions } = status;
    await cluster.change(crdRef, at, (old) => ({ ...old, status: { ...old.status, acceptedNames, conditions } }), ctx, {
      subresource: "status",
    });
  });
}

/** Deletes all objects of the definition and, when the last one is gone, lets it go. */
function emptyOut(cluster: Cluster, crd: CustomResourceDefinition): () => void {
  const ref = { group: crd.spec.group, plural: crd.spec.names.plural };
  let stop: () => void = () => undefined;
  const finishWhenEmpty = () => {
    if (cluster.list(ref).length > 0) return;
    stop();
    void dropFinalizer(cluster, crd);
  };
  stop = cluster.watch(ref, ({ type }) => (type === "DELETED" ? finishWhenEmpty() : undefined));
  void ignoringRefusals(async () => {
    const condition = {
      type: "Terminating",
      status: "True" as const,
      reason: "InstanceDeletionInProgress",
      message: "CustomResource deletion is in progress",
    };
    await cluster.change(
      crdRef,
      { name: crd.metadata.name },
      (old) => {
        const conditions = withCondition(asCrd(old).status?.conditions ?? [], condition, timeOf(cluster.clock));
        return { ...old, status: { ...old.status, conditions } };
      },
      ctx,
      { subresource: "status" },
    );
    for (const { metadata } of cluster.list(ref)) {
      await ignoringRefusals(() => cluster.delete(ref, metadata.namespace, metadata.name, {}, ctx));
    }
    finishWhenEmpty();
  });
  return () => stop();
}

async function dropFinalizer(cluster: Cluster, crd: CustomResourceDefinition) {
  await ignoringRefusals(() =>
    cluster.change(
      crdRef,
      { name: crd.metadata.name },
      (old) => {
        const finalizers = (old.metadata.finalizers ?? []).filter((name) => name !== finalizer);
        return { ...old, metadata: { ...old.metadata, finalizers } };
      },
      ctx,
    ),
  );
}

/** What the cluster refuses (it is gone, or a webhook is in the way) is tried again with the next change. */
async function ignoringRefusals(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}

function terminationGate(registered: ReadonlyMap<string, Registration>): AdmissionPlugin {
  return {
    name: "CustomResourceTermination",
    validate: ({ operation, type, subresource }) => {
      if (operation !== "CREATE" || subresource) return;
      if (!registered.get(type.storageKey)?.stopCleanup) return;
      const message = "create not allowed while custom resource definition is terminating";
      throw new StatusError(405, "MethodNotAllowed", message, { group: type.group, kind: type.plural });
    },
  };
}
