import { apis } from "@/server/kubernetes/apis";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Condition, type Kept, splitKey, timestampOf } from "@/server/sandbox/objects/meta";
import { type TypeRef } from "@/server/sandbox/type-registry";
import { type Controller, type ControllerContext, watchItself } from "./controller";
import { codeOf } from "./shelves";

type Namespace = Kept & { spec?: { finalizers?: string[] }; status?: { phase?: string; conditions?: Condition[] } };
type Left = { type: TypeRef; objects: readonly KubernetesObject[] };

const ctx = {
  user: {
    username: "system:serviceaccount:kube-system:namespace-controller",
    groups: ["system:serviceaccounts", "system:authenticated", "system:masters"],
  },
};
const LOOK_AGAIN_MS = 1_000;

/** Empties a namespace that is deleted, says what it waits for, and lets it go. */
export function namespaceController({ cluster, shelves, clock }: ControllerContext): Controller {
  const namespaces = shelves.of<Namespace>(apis.namespace);

  async function reconcile(key: string): Promise<number | undefined> {
    const { name } = splitKey(key);
    const namespace = namespaces.get("", name);
    if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
    const failures: string[] = [];
    for (const { type, objects } of contents(name)) {
      for (const object of objects)
        await remove(type, object).catch((error: unknown) =>
          failures.push(error instanceof Error ? error.message : String(error)),
        );
    }
    const left = contents(name).filter(({ type }) => type.plural !== "events");
    await writeConditions(namespace, left, failures);
    if (left.length > 0 || failures.length > 0) return LOOK_AGAIN_MS;
    // Events may have been recorded about the deletions meanwhile.
    for (const { type, objects } of contents(name))
      for (const object of objects) await remove(type, object).catch(() => undefined);
    await finalize(name);
    return undefined;
  }

  /** Everything in the namespace, by resource; each resource once, whatever its versions. */
  function contents(namespace: string): Left[] {
    const seen = new Set<string>();
    return cluster.types.all().flatMap((type) => {
      if (!type.namespaced || !type.verbs.includes("delete") || seen.has(type.storageKey)) return [];
      seen.add(type.storageKey);
      const objects = cluster.list(type, { namespace });
      return objects.length > 0 ? [{ type, objects }] : [];
    });
  }

  async function remove(type: TypeRef, { metadata }: KubernetesObject) {
    if (metadata.deletionTimestamp !== undefined) return;
    try {
      await cluster.delete(
        type,
        metadata.namespace,
        metadata.name,
        { ...(metadata.uid ? { uid: metadata.uid } : {}), propagation: "Background" },
        ctx,
      );
    } catch (error) {
      if (codeOf(error) !== 404 && codeOf(error) !== 409) throw error;
    }
  }

  async function writeConditions(namespace: Namespace, left: readonly Left[], failures: readonly string[]) {
    const before = namespace.status?.conditions ?? [];
    const conditions = conditionsOf(left, failures).map((condition) => {
      const old = before.find(({ type }) => type === condition.type);
      return {
        ...condition,
        lastTransitionTime: old?.status === condition.status ? old.lastTransitionTime : timestampOf(clock.now()),
      };
    });
    await unlessGone(
      namespaces.patch("", namespace.metadata.name, { status: { phase: "Terminating", conditions } }, "status"),
    );
  }

  async function finalize(name: string) {
    await unlessGone(
      namespaces.change("", name, (old) => ({ ...old, spec: { ...old.spec, finalizers: [] } }), "finalize"),
    );
  }

  return { reconcile, watches: [watchItself(apis.namespace)] };
}

function conditionsOf(left: readonly Left[], failures: readonly string[]): Condition[] {
  const finalizers = new Map<string, number>();
  for (const name of left.flatMap(({ objects }) => objects.flatMap(({ metadata }) => metadata.finalizers ?? [])))
    finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  const remaining = left.map(
    ({ type, objects }) => `${type.plural}.${type.group} has ${objects.length} resource instances`,
  );
  const held = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`);
  const no = (type: string, reason: string, message: string): Condition => ({ type, status: "False", reason, message });
  const yes = (type: string, reason: string, message: string): Condition => ({ type, status: "True", reason, message });
  return [
    no("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    no(
      "NamespaceDeletionGroupVersionParsingFailure",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ),
    failures.length > 0
      ? yes(
          "NamespaceDeletionContentFailure",
          "ContentDeletionFailed",
          `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(", ")}`,
        )
      : no(
          "NamespaceDeletionContentFailure",
          "ContentDeleted",
          "All content successfully deleted, may be waiting on finalization",
        ),
    remaining.length > 0
      ? yes("NamespaceContentRemaining", "SomeResourcesRemain", `Some resources are remaining: ${remaining.join(", ")}`)
      : no("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"),
    held.length > 0
      ? yes(
          "NamespaceFinalizersRemaining",
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${held.join(", ")}`,
        )
      : no("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
  ];
}

async function unlessGone(write: Promise<unknown>) {
  try {
    await write;
  } catch (error) {
    if (codeOf(error) !== 404) throw error;
  }
}
