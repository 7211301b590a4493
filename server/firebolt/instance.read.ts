import { randomBytes } from "node:crypto";
import { type Instance } from "@/machines/firebolt/instance.schema";
import { apis } from "@/server/kubernetes/apis";
import { type Api, type KubernetesObject } from "@/server/kubernetes/object";
import { type World } from "@/server/reconcile/world";
import { containsFields } from "./contains-fields";
import { faultText } from "./field-rule";
import { labels } from "./generation-names";
import { instanceNames } from "./instance-names";
import { instanceObjects } from "./instance-objects";
import { lastLook, type LastLook } from "./last-look";
import { componentTemplateFaults } from "./template-rules";
import { ulid } from "./ulid";

/** Everything that a pass over an instance looks at. */
export type InstanceSeen = {
  instance: Instance;
  /** Objects that are missing or not as the spec says. */
  outdated: KubernetesObject[];
  credentialsMissing: boolean;
  /** What no retry can mend. */
  trouble: { reason: string; message: string } | null;
  /** Why the database that the spec names cannot be used yet. */
  preflight: string | null;
  /** What its templates may not say, by the component whose pods they are. */
  faults: Record<"metadata" | "gateway", string>;
  postgres: Readiness;
  metadata: Readiness;
  gateway: Readiness;
  /** Only when the instance goes. */
  lastLook: LastLook | null;
  /** Made here, so that computing stays pure; used only where there is none yet. */
  fresh: { id: string; password: string };
};

export type Readiness = { ready: boolean; sentence: string };

export const instanceApis = [
  apis.deployment,
  apis.statefulSet,
  apis.service,
  apis.configMap,
  apis.secret,
] as const satisfies readonly Api[];

export async function readInstance(instance: Instance, world: World): Promise<InstanceSeen> {
  const names = instanceNames(instance.metadata.name);
  const internal = instance.spec.metadata.postgres === undefined;
  const wanted = instanceObjects(instance);
  const live = await Promise.all(wanted.map((object) => world.get(apiOf(object), object.metadata)));
  const liveOf = (kind: string, name: string) =>
    live.find((object) => object?.kind === kind && object.metadata.name === name) ?? null;
  const { namespace } = instance.metadata;
  const credentials = internal ? await readCredentials(world, { namespace, name: names.credentials }) : null;
  const database = liveOf("StatefulSet", names.postgres);
  const metadata = readinessOf(liveOf("Deployment", names.metadata), `Deployment ${names.metadata}`);
  return {
    instance,
    outdated: wanted.filter((object, at) => !containsFields(live[at], askedOf(object))),
    credentialsMissing: internal && credentials === null,
    trouble:
      idTrouble(instance) ?? (database && !credentials && internal ? await lostCredentials(instance, world) : null),
    preflight: internal || metadata.ready ? null : await preflight(instance, world),
    faults: {
      metadata: faultText(
        componentTemplateFaults(instance.spec.metadata.template, "metadata", "spec.metadata.template"),
      ),
      gateway: faultText(componentTemplateFaults(instance.spec.gateway.template, "envoy", "spec.gateway.template")),
    },
    postgres: internal
      ? readinessOf(database, `StatefulSet ${names.postgres}`)
      : { ready: true, sentence: "another PostgreSQL is named" },
    metadata,
    gateway: readinessOf(liveOf("Deployment", names.gateway), `Deployment ${names.gateway}`),
    lastLook: instance.metadata.deletionTimestamp === undefined ? null : await lookLast(instance, world),
    fresh: { id: ulid(world.now), password: randomBytes(24).toString("base64url") },
  };
}

function apiOf({ kind }: KubernetesObject): Api {
  const api = instanceApis.find((one) => one.kind === kind);
  if (!api) throw new Error(`an instance has no ${kind}`);
  return api;
}

/** Owner, labels and our annotation count too; what else is in the metadata is the server's. */
function askedOf({ metadata, ...rest }: KubernetesObject): Record<string, unknown> {
  const { labels: own, annotations, ownerReferences } = metadata;
  return { ...rest, metadata: { labels: own, annotations, ownerReferences } };
}

/** An id that was taken away can be put back; another one is another account. */
function idTrouble({ spec, status }: Instance): InstanceSeen["trouble"] {
  if (status.observedId === undefined || spec.id === undefined || spec.id === status.observedId) return null;
  const message = `spec.id was "${status.observedId}" and is "${spec.id}": the account of an instance cannot change`;
  return { reason: "IdChanged", message };
}

/** A cache that is behind must neither write over a password that is in use nor condemn an instance for ever. */
async function readCredentials(
  world: World,
  ref: { namespace: string; name: string },
): Promise<KubernetesObject | null> {
  return (await world.get(apis.secret, ref)) ?? (await world.live.get(apis.secret, ref));
}

async function lostCredentials(instance: Instance, world: World): Promise<InstanceSeen["trouble"]> {
  const { name, namespace } = instance.metadata;
  const { credentials, postgres } = instanceNames(name);
  if (!(await world.live.get(apis.statefulSet, { namespace, name: postgres }))) return null;
  const message = `Secret ${credentials} is gone, and the database that it opens cannot be opened without it`;
  return { reason: "PostgresCredentialsLost", message };
}

async function preflight(instance: Instance, world: World): Promise<string | null> {
  const name = instance.spec.metadata.postgres?.credentialsSecretRef.name ?? "";
  const secret = await world.live.get(apis.secret, { namespace: instance.metadata.namespace, name });
  if (!secret) return `Secret ${name} does not exist`;
  const held = Object.keys((secret.data as Record<string, unknown> | undefined) ?? {});
  const missing = ["username", "password"].filter((key) => !held.includes(key));
  return missing.length > 0 ? `Secret ${name} has no key ${missing.join(" and no key ")}` : null;
}

function readinessOf(object: KubernetesObject | null, title: string): Readiness {
  if (!object) return { ready: false, sentence: `${title} not found` };
  const wanted = numberOf(object.spec?.replicas, 1);
  const ready = numberOf(object.status?.readyReplicas, 0);
  // One is enough to serve; a rollout of the others is no outage.
  return { ready: ready >= Math.min(1, wanted), sentence: `${title}: ${ready} of ${wanted} pods ready` };
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function lookLast({ metadata: { name, namespace, uid } }: Instance, world: World): Promise<LastLook> {
  return lastLook(world, { namespace, uid, labels: { [labels.instance]: name } }, instanceApis);
}
