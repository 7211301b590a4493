import { type KubernetesObject } from "@/server/kubernetes/object";
import { admit, type RequestContext } from "@/server/sandbox/admission-plugin";
import { trackCreate } from "@/server/sandbox/apply/managed-fields";
import { dropEmpty, newUid, timeOf, type WriteDeps } from "@/server/sandbox/cluster/write";
import { validateMetadata } from "@/server/sandbox/cluster/validate-metadata";
import { alreadyExistsError, badRequestError, invalidError } from "@/server/sandbox/status-error";
import { type ResourceType } from "@/server/sandbox/type-registry";

export type CreateOptions = {
  namespace: string | undefined;
  /** Set when the object comes from server-side apply: the managed fields are computed already. */
  applied?: boolean;
};

/** Stores an object that nobody else holds. */
export async function createObject(
  deps: WriteDeps,
  type: ResourceType,
  object: KubernetesObject,
  ctx: RequestContext,
  { namespace, applied = false }: CreateOptions,
): Promise<KubernetesObject> {
  if (object.metadata.resourceVersion)
    throw badRequestError("resourceVersion should not be set on objects to be created");
  fillMetadata(deps, type, object, namespace);
  if (type.subresources["status"] && !applied) delete object.status;
  type.strategy.normalize?.(object);
  type.strategy.prepareCreate?.(object);

  const attributes = {
    operation: "CREATE" as const,
    type,
    name: object.metadata.name,
    object,
    ctx,
    ...(namespace ? { namespace } : {}),
  };
  await admit(deps.plugins, "mutate", attributes);
  const errors = [...validateMetadata(type, object, undefined), ...(type.strategy.validate?.(object, undefined) ?? [])];
  if (errors.length > 0) throw invalidError(type, object.metadata.name, errors);
  if (!applied) trackCreate(type, object, ctx, timeOf(deps.clock));
  await admit(deps.plugins, "validate", attributes);

  if (deps.store.get(type.storageKey, object.metadata.namespace, object.metadata.name)) {
    throw alreadyExistsError(type, object.metadata.name);
  }
  if (ctx.dryRun) return object;
  return deps.store.put(type.storageKey, object);
}

function fillMetadata(
  { clock }: WriteDeps,
  type: ResourceType,
  object: KubernetesObject,
  namespace: string | undefined,
) {
  const metadata = { ...object.metadata };
  if (!metadata.name && metadata.generateName) metadata.name = metadata.generateName.slice(0, 58) + randomSuffix();
  if (type.namespaced && namespace !== undefined) metadata.namespace = namespace;
  else delete metadata.namespace;
  metadata.uid = newUid();
  metadata.creationTimestamp = timeOf(clock);
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.generation;
  if (type.strategy.generation) metadata.generation = 1;
  dropEmpty(metadata);
  object.metadata = metadata;
}

// No vowels and no look-alikes, so that no words come out.
const SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";

function randomSuffix(): string {
  return Array.from({ length: 5 }, () => SUFFIX_LETTERS[Math.floor(Math.random() * SUFFIX_LETTERS.length)]).join("");
}
