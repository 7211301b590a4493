import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Target, until } from "@/server/sandbox/contract/target";

/** Real pods on a busy machine take their time; this only ends what never happens. */
const PATIENCE_MS = 120_000;

export type Scene = { target: Target; namespace: string };

/**
 * What all cases of a topic look at, set up once per target: pods of many cases then start side by side, and the whole
 * takes as long as the slowest.
 */
export function createScene(setUp: (scene: Scene) => Promise<void>): (target: Target) => Promise<Scene> {
  const scenes = new WeakMap<Target, Promise<Scene>>();
  return (target) => {
    const known = scenes.get(target);
    if (known) return known;
    const made = target.namespace().then(async (namespace) => {
      await setUp({ target, namespace });
      return { target, namespace };
    });
    scenes.set(target, made);
    return made;
  };
}

const collections: Record<string, string> = {
  ConfigMap: "api/v1/configmaps",
  Secret: "api/v1/secrets",
  Pod: "api/v1/pods",
  Service: "api/v1/services",
  ServiceAccount: "api/v1/serviceaccounts",
  Endpoints: "api/v1/endpoints",
  PersistentVolumeClaim: "api/v1/persistentvolumeclaims",
  ResourceQuota: "api/v1/resourcequotas",
  Event: "api/v1/events",
  StatefulSet: "apis/apps/v1/statefulsets",
  Deployment: "apis/apps/v1/deployments",
  ReplicaSet: "apis/apps/v1/replicasets",
  ControllerRevision: "apis/apps/v1/controllerrevisions",
  Job: "apis/batch/v1/jobs",
  EndpointSlice: "apis/discovery.k8s.io/v1/endpointslices",
};

/** The path of a kind's objects in the scene's namespace, or of one of them. */
export function at({ namespace }: { namespace: string }, kind: string, name?: string): string {
  const collection = collections[kind];
  if (!collection) throw new Error(`no path is known for ${kind}`);
  const slash = collection.lastIndexOf("/");
  const base = `/${collection.slice(0, slash)}/namespaces/${namespace}${collection.slice(slash)}`;
  return name === undefined ? base : `${base}/${name}`;
}

export type Draft = { kind: string; metadata: { name: string } & Record<string, unknown> } & Record<string, unknown>;

/** Creates an object in the scene's namespace; anything but a creation is an error. */
export async function make(scene: Scene, draft: Draft): Promise<KubernetesObject> {
  const path = at(scene, draft.kind);
  const apiVersion = path.startsWith("/apis/") ? path.split("/").slice(2, 4).join("/") : "v1";
  const { status, object, message } = await scene.target.send("POST", path, { body: { apiVersion, ...draft } });
  if (status !== 201) throw new Error(`create ${draft.kind} ${draft.metadata.name}: ${status} ${message}`);
  return object;
}

/** The object when the condition holds of it; the last state is in the error when it never does. */
export async function seen<T>(scene: Scene, kind: string, name: string, holds: (object: T) => boolean): Promise<T> {
  let last: unknown = null;
  try {
    await until(
      `${kind} ${name}`,
      async () => {
        const { status, object } = await scene.target.send("GET", at(scene, kind, name));
        last = object;
        return status === 200 && holds(object as unknown as T); // the case says what it expects of the object
      },
      PATIENCE_MS,
    );
  } catch {
    throw new Error(`${kind} ${name} did not come to what was expected; it is ${JSON.stringify(last)}`);
  }
  return last as T;
}

export async function gone(scene: Scene, kind: string, name: string): Promise<void> {
  await until(
    `the end of ${kind} ${name}`,
    async () => (await scene.target.send("GET", at(scene, kind, name))).status === 404,
    PATIENCE_MS,
  );
}

export async function listed<T>(scene: Scene, kind: string, query = ""): Promise<T[]> {
  const { object } = await scene.target.send("GET", at(scene, kind) + query);
  return object["items"] as T[]; // the case says what it expects of the objects
}

export type RecordedEvent = {
  metadata: { name: string };
  involvedObject: { kind: string; name: string; fieldPath?: string };
  type: string;
  reason: string;
  message: string;
  count?: number | null;
  source?: { component?: string };
  reportingComponent?: string;
};

/** The first event about the object with this reason that the text matches. */
export async function eventOf(
  scene: Scene,
  name: string,
  reason: string,
  text: RegExp | string = /(?:)/,
): Promise<RecordedEvent> {
  let found: RecordedEvent | undefined;
  let all: string[] = [];
  const matches = (message: string) => (typeof text === "string" ? message === text : text.test(message));
  try {
    await until(
      "the event",
      async () => {
        const events = await listed<RecordedEvent>(scene, "Event", `?fieldSelector=involvedObject.name=${name}`);
        all = events.map((event) => `${event.reason}: ${event.message}`);
        found = events.find((event) => event.reason === reason && matches(event.message));
        return found !== undefined;
      },
      PATIENCE_MS,
    );
  } catch {
    throw new Error(`no event ${reason} ${String(text)} about ${name}; there are: ${all.join(" | ")}`);
  }
  if (!found) throw new Error("unreachable: the wait ends with an event");
  return found;
}

export const BUSYBOX = "localhost/busybox:1";

/** The spec of a pod that runs a script and goes quickly. */
export function running(script: string, container: Record<string, unknown> = {}, pod: Record<string, unknown> = {}) {
  return {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "main", image: BUSYBOX, command: ["sh", "-c", script], ...container }],
    ...pod,
  };
}

/** The spec of a pod that fits on no node: controllers can be watched without a kubelet. */
export const nowhere = running("sleep 3600", {}, { nodeSelector: { "contract.orrery.dev/node": "none" } });

export function workload(
  kind: string,
  name: string,
  spec: Record<string, unknown>,
  template: Record<string, unknown> = nowhere,
): Draft {
  return {
    kind,
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: template },
      ...spec,
    },
  };
}
