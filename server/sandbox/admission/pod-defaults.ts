import { type KubernetesObject } from "@/server/kubernetes/object";
import { type AdmissionPlugin } from "@/server/sandbox/admission-plugin";
import { refusal } from "@/server/sandbox/admission/refusal";
import { type Cluster } from "@/server/sandbox/cluster";
import { listOf, recordOf, textOf } from "@/server/sandbox/json";

const priorityClasses = { group: "scheduling.k8s.io", plural: "priorityclasses" };
const tolerated = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const system: Record<string, number> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

/** The priority of a pod's class, and five minutes of patience with a node that is away. */
export function podDefaults(cluster: Cluster): AdmissionPlugin {
  return {
    name: "PodDefaults",
    mutate: (attributes) => {
      const { operation, type, subresource, object } = attributes;
      if (operation !== "CREATE" || type.storageKey !== "pods" || subresource !== undefined || !object) return;
      const spec = (object.spec ??= {});
      const name = textOf(spec["priorityClassName"]);
      const found = name === "" ? globalDefault(cluster) : cluster.get(priorityClasses, undefined, name);
      if (name !== "" && !found && !Object.hasOwn(system, name))
        throw refusal(attributes, `no PriorityClass with name ${name} was found`);
      if (name === "" && found) spec["priorityClassName"] = found.metadata.name;
      spec["priority"] = found ? Number(found["value"] ?? 0) : (system[name] ?? 0);
      spec["preemptionPolicy"] ??= textOf(found?.["preemptionPolicy"]) || "PreemptLowerPriority";
      spec["tolerations"] = [...listOf(spec["tolerations"]), ...missingTolerations(listOf(spec["tolerations"]))];
    },
  };
}

function globalDefault(cluster: Cluster): KubernetesObject | undefined {
  return cluster.list(priorityClasses).find((of) => of["globalDefault"] === true);
}

function missingTolerations(own: readonly unknown[]) {
  const covers = (taint: string) =>
    own
      .map(recordOf)
      .some(
        ({ key, effect }) =>
          (key === undefined || key === taint) && (effect === undefined || effect === "" || effect === "NoExecute"),
      );
  return tolerated
    .filter((taint) => !covers(taint))
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
}
