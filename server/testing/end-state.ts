import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Api, type KubernetesObject } from "@/server/kubernetes/object";
import { type ProxiedWrite } from "@/server/testing/fault-proxy";

/** What a run left behind: its objects without what differs from run to run, and who was created and deleted how often. */
export type EndState = {
  objects: Record<string, unknown>;
  created: Record<string, number>;
  deleted: Record<string, number>;
};

/** `orrery.dev/applied` is a hash over the uid of the owner, among others; a volume is named by the uid of its claim. */
const masked = new Set([
  "orrery.dev/applied",
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "selfLink",
  "volumeName",
]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const TOLD = /\(x\d+\)/g;

export async function endStateOf(
  client: KubernetesClient,
  namespace: string,
  compared: readonly Api[],
  writes: readonly ProxiedWrite[],
): Promise<EndState> {
  const lists = await Promise.all(compared.map((api) => client.list(api, { namespace })));
  const all = lists.flatMap((list) => list.items).filter(isOurs);
  return {
    objects: Object.fromEntries(all.map((object) => [nameOf(object), without(object, namespace)])),
    created: countsOf(writes, namespace, ({ answer }) => answer?.status === 201),
    deleted: countsOf(writes, namespace, ({ method, answer }) => method === "DELETE" && (answer?.status ?? 500) < 300),
  };
}

/** Sentences about what differs; empty when the run ended as the clean one. More creates or deletes are a difference, fewer are not. */
export function differences(clean: EndState, found: EndState): string[] {
  const names = [...new Set([...Object.keys(clean.objects), ...Object.keys(found.objects)])].sort();
  return [
    ...names.flatMap((name) => differing(name, clean.objects[name], found.objects[name])),
    ...moreThan("created", clean.created, found.created),
    ...moreThan("deleted", clean.deleted, found.deleted),
  ];
}

function differing(name: string, clean: unknown, found: unknown): string[] {
  if (clean === undefined) return [`${name} is left over`];
  if (found === undefined) return [`${name} is missing`];
  const [before, after] = [JSON.stringify(clean), JSON.stringify(found)];
  return before === after ? [] : [`${name} ended as ${after} instead of ${before}`];
}

function moreThan(what: string, clean: Record<string, number>, found: Record<string, number>): string[] {
  return Object.entries(found).flatMap(([name, count]) =>
    count > (clean[name] ?? 0) ? [`${name} was ${what} ${count} times instead of ${clean[name] ?? 0}`] : [],
  );
}

/** Every namespace has these, put there by others in their own time. */
function isOurs({ kind, metadata }: KubernetesObject): boolean {
  return !(kind === "ConfigMap" && metadata.name === "kube-root-ca.crt");
}

function nameOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${stable(metadata.name)}`;
}

/** Names that carry a made-up part end in "-x" and letters: their number counts, not their spelling. */
function stable(name: string): string {
  return name.replace(/-x[0-9a-z]+-(\d+)$/, "-x*-$1");
}

/** A warning that is told again every minute has been told as often as minutes have passed: that is a time, too. */
function timeless(text: string): string {
  return TIME.test(text) ? "<time>" : text.replace(TOLD, "(x<times>)");
}

function without(value: unknown, namespace: string): unknown {
  if (typeof value === "string") return stable(timeless(value.replaceAll(namespace, "<namespace>")));
  if (Array.isArray(value)) return value.map((item) => without(item, namespace));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([field]) => !masked.has(field) && !("name" in value && field === "generation"),
  );
  return Object.fromEntries(
    kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([field, item]) => [field, without(item, namespace)]),
  );
}

/** By object, each incarnation once: a delete that was sent twice deleted once. */
function countsOf(
  writes: readonly ProxiedWrite[],
  namespace: string,
  counts: (write: ProxiedWrite) => boolean,
): Record<string, number> {
  const seen = new Map<string, Set<string>>();
  for (const write of writes.filter(counts)) {
    const path = stable((write.path.split("?")[0] ?? "").replace(namespace, "<namespace>"));
    const uids = seen.get(path) ?? new Set();
    uids.add(uidOf(write.answer?.body) ?? String(write.number));
    seen.set(path, uids);
  }
  return Object.fromEntries([...seen].map(([path, uids]) => [path, uids.size]));
}

/** An object names itself in its metadata, the Status of a delete in its details. */
function uidOf(body: unknown): string | undefined {
  const { metadata, details } = (body ?? {}) as { metadata?: { uid?: string }; details?: { uid?: string } }; // any JSON, looked at no further
  return metadata?.uid ?? details?.uid;
}
