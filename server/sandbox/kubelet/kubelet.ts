import { apis } from "@/server/kubernetes/apis";
import { type Cluster } from "@/server/sandbox/cluster";
import { createEventRecorder } from "@/server/sandbox/controllers/event-recorder";
import { createShelves } from "@/server/sandbox/controllers/shelves";
import { type Node } from "@/server/sandbox/objects/node";
import { isFinished, type Pod } from "@/server/sandbox/objects/pod";
import { loadNodePrograms } from "@/server/sandbox/programs/node-programs";
import { type AddressPool, createAddressPool } from "./address-pool";
import { createClaimFiles } from "./claim-files";
import { createImages } from "./images";
import { isDown, NOT_READY, type NodePlan, postStatus, registerNode } from "./nodes";
import { type ConfigMap, type Secret, type Sources } from "./pod-environment";
import { type PodLife, startPod } from "./pod-life";
import { type ProgramTable } from "./programs-of";
import { startScheduler } from "./scheduler";
import { troubleOf } from "./trouble";

export type KubeletOptions = {
  /** The nodes to play; one of generous size if absent. */
  nodes?: readonly NodePlan[];
  /** More programs, by the name that annotations use. */
  programs?: ProgramTable;
  /** Where the files of volumes are kept between runs. Null: nowhere. */
  dataDir?: string | null;
};

export type Kubelet = {
  /** The pod as it is being played. */
  podOf(namespace: string, name: string): PodLife | undefined;
  locate: AddressPool["locate"];
  /** Nothing is under way but timers. */
  idle(): boolean;
  stop(): Promise<void>;
};

const defaultNodes: readonly NodePlan[] = [{ name: "sandbox" }];

/** Plays the pods of the cluster's nodes: schedules them, runs their programs, and tells the API what becomes of them. */
export async function createKubelet(cluster: Cluster, options: KubeletOptions = {}): Promise<Kubelet> {
  const { clock } = cluster;
  const plans = options.nodes ?? defaultNodes;
  const shelves = createShelves(cluster, {
    username: "system:node:sandbox",
    groups: ["system:nodes", "system:authenticated", "system:masters"],
  });
  const nodes = shelves.of<Node>(apis.node);
  const pods = shelves.of<Pod>(apis.pod);
  const pool = await createAddressPool(nodes.get("", plans[0]?.name ?? "")?.spec.podCIDR);
  const images = createImages();
  const claimFiles = createClaimFiles(shelves, clock, options.dataDir ?? null);
  const lives = new Map<string, PodLife>();
  let underWay = 0;

  await loadNodePrograms();
  for (const plan of plans) await registerNode(shelves, clock, plan, { address: pool.nodeAddress, cidr: pool.cidr });
  const recorders = new Map(
    plans.map(({ name }) => [name, createEventRecorder({ shelves, clock, component: "kubelet", host: name })]),
  );

  async function track<T>(work: Promise<T>): Promise<T> {
    underWay += 1;
    try {
      return await work;
    } finally {
      underWay -= 1;
    }
  }

  function lifeOf(pod: Pod): PodLife | undefined {
    const record = recorders.get(pod.spec.nodeName ?? "");
    if (!record) return undefined;
    return startPod(pod, {
      clock,
      record,
      images,
      programs: options.programs ?? {},
      trouble: troubleOf(pod),
      sources: sourcesOf(pod),
      bind: pool.bind,
      locate: pool.locate,
      underWay: track,
      hostAddress: pool.nodeAddress,
      takeAddress: pool.take,
      releaseAddress: pool.release,
      unboundClaims: (current) => claimFiles.unbound(current),
      writeStatus: async (current, statusOf) => {
        const { namespace = "", name, uid } = current.metadata;
        // A node in trouble says nothing about its pods: the node controller has marked them, and would be contradicted.
        if (isDown(nodes.get("", current.spec.nodeName ?? ""))) return;
        const same = (old: Pod) => (old.metadata.uid === uid ? { ...old, status: statusOf(old) } : old);
        await pods.change(namespace, name, same, "status");
      },
      remove: (current) => pods.remove(current, { graceSeconds: 0 }),
    });
  }

  function sourcesOf(pod: Pod): Sources {
    const namespace = pod.metadata.namespace ?? "";
    return {
      configMap: (name) => shelves.of<ConfigMap>(apis.configMap).get(namespace, name),
      secret: (name) => shelves.of<Secret>(apis.secret).get(namespace, name),
      claim: (name) => claimFiles.of(namespace, name),
      now: () => clock.now(),
      allocatable: nodes.get("", pod.spec.nodeName ?? "")?.status?.allocatable ?? {},
    };
  }

  function see(pod: Pod) {
    const life = lives.get(pod.metadata.uid);
    if (life) {
      life.see(pod);
      return;
    }
    if (!pod.spec.nodeName || isFinished(pod)) return;
    const fresh = lifeOf(pod);
    if (!fresh) return;
    lives.set(pod.metadata.uid, fresh);
    if (pod.metadata.deletionTimestamp !== undefined) fresh.see(pod);
  }

  const unwatch = [
    pods.watch(({ type, object }) => {
      if (type !== "DELETED") {
        see(object);
        return;
      }
      lives.get(object.metadata.uid)?.vanish();
      lives.delete(object.metadata.uid);
    }),
    nodes.watch(({ object, old }) => {
      const plan = plans.find(({ name }) => name === object.metadata.name);
      const told = (node: Node | undefined) => node?.metadata.annotations?.[NOT_READY];
      if (!plan || !old || told(object) === told(old)) return;
      void postStatus(shelves, clock, plan.name, plan, pool.nodeAddress);
      // A node that is well again has something to say about all of them.
      if (!isDown(object))
        pods
          .list()
          .filter(({ spec }) => spec.nodeName === plan.name)
          .forEach(see);
    }),
  ];
  pods.list().forEach(see);
  const scheduler = startScheduler(cluster);

  return {
    podOf: (namespace, name) => {
      const pod = pods.get(namespace, name);
      return pod && lives.get(pod.metadata.uid);
    },
    locate: pool.locate,
    idle: () => underWay === 0 && scheduler.idle(),
    stop: async () => {
      unwatch.forEach((stop) => stop());
      await scheduler.stop();
      lives.forEach((life) => life.kill());
      claimFiles.stop();
      pool.close();
    },
  };
}
