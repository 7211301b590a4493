import { type KubernetesObject } from "@/server/kubernetes/object";
import { type RequestContext } from "@/server/sandbox/admission-plugin";
import { budgets, budgetSelector } from "@/server/sandbox/admission/disruption";
import { isOver } from "@/server/sandbox/admission/quota-usage";
import { type Cluster } from "@/server/sandbox/cluster";
import { recordOf } from "@/server/sandbox/json";
import { matcherOf } from "@/server/sandbox/selector/label-selector";
import { badRequestError, internalError, notFoundError, StatusError } from "@/server/sandbox/status-error";

const pods = { group: "", plural: "pods" };

/** POST pods/<name>/eviction: deletes the pod if its disruption budget has room for that. */
export async function evictPod(
  cluster: Cluster,
  at: { namespace: string; name: string },
  eviction: KubernetesObject,
  ctx: RequestContext,
): Promise<typeof done> {
  if (eviction.metadata.name !== "" && eviction.metadata.name !== at.name)
    throw badRequestError("name in URL does not match name in Eviction object");
  const pod = cluster.get(pods, at.namespace, at.name);
  if (!pod) throw notFoundError(pods, at.name);
  const guarded = !isOver(pod) && pod.status?.["phase"] !== "Pending" && !pod.metadata.deletionTimestamp;
  if (guarded) await takeFromBudget(cluster, pod, ctx);
  const options = recordOf(eviction["deleteOptions"]);
  const grace = options["gracePeriodSeconds"];
  const uid = recordOf(options["preconditions"])["uid"];
  await cluster.delete(
    pods,
    at.namespace,
    at.name,
    {
      ...(typeof grace === "number" ? { graceSeconds: grace } : {}),
      ...(typeof uid === "string" ? { uid } : {}),
    },
    ctx,
  );
  return done;
}

const done = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

async function takeFromBudget(cluster: Cluster, pod: KubernetesObject, ctx: RequestContext): Promise<void> {
  const { namespace = "", name, labels } = pod.metadata;
  const [budget, ...more] = cluster.list(budgets, { namespace }).filter((of) => matcherOf(budgetSelector(of))(labels));
  if (!budget) return;
  if (more.length > 0)
    throw internalError(
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  const dryRun = ctx.dryRun === true;
  await cluster.change(
    budgets,
    { namespace, name: budget.metadata.name },
    (old) => {
      const allowed = roomIn(old);
      const disruptedPods = {
        ...recordOf(old.status?.["disruptedPods"]),
        [name]: `${new Date(cluster.clock.now()).toISOString().slice(0, 19)}Z`,
      };
      return dryRun ? old : { ...old, status: { ...old.status, disruptionsAllowed: allowed - 1, disruptedPods } };
    },
    { user: { username: "system:apiserver", groups: ["system:masters"] } },
    { subresource: "status" },
  );
}

/** How many pods may go, or the refusal that says why none may. */
function roomIn(budget: KubernetesObject): number {
  const { name, generation = 1 } = budget.metadata;
  const status = recordOf(budget.status);
  if (Number(status["observedGeneration"] ?? 0) < generation) {
    throw refused(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const allowed = Number(status["disruptionsAllowed"] ?? 0);
  if (allowed > 0) return allowed;
  throw refused(
    `The disruption budget ${name} needs ${Number(status["desiredHealthy"] ?? 0)} healthy pods and has ${Number(status["currentHealthy"] ?? 0)} currently`,
  );
}

function refused(why: string, retryAfterSeconds?: number): StatusError {
  const details = {
    causes: [{ reason: "DisruptionBudget", message: why }],
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  };
  return new StatusError(
    429,
    "TooManyRequests",
    "Cannot evict pod as it would violate the pod's disruption budget.",
    details,
  );
}
