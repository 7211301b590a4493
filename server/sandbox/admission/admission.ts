import { type AdmissionPlugin } from "@/server/sandbox/admission-plugin";
import { defaultStorageClass } from "@/server/sandbox/admission/default-storage-class";
import { startDisruption } from "@/server/sandbox/admission/disruption";
import { limitRanger } from "@/server/sandbox/admission/limit-range";
import { namespaceLifecycle } from "@/server/sandbox/admission/namespace-lifecycle";
import { podDefaults } from "@/server/sandbox/admission/pod-defaults";
import { resourceQuota } from "@/server/sandbox/admission/resource-quota";
import { serviceAccountAdmission } from "@/server/sandbox/admission/service-account";
import { mutatingWebhooks, validatingWebhooks } from "@/server/sandbox/admission/webhook-admission";
import { type ResolveService } from "@/server/sandbox/admission/webhook-call";
import { type Cluster } from "@/server/sandbox/cluster";

export type Admission = { plugins: readonly AdmissionPlugin[]; stop: () => void };

export type AdmissionOptions = {
  cluster: Cluster;
  /** Where a webhook's Service is really served; without it, no Service is. */
  resolveService?: ResolveService;
};

/** The admission chain in Kubernetes' order, and what keeps the statuses of quotas and disruption budgets. */
export function createAdmission({ cluster, resolveService = nowhere }: AdmissionOptions): Admission {
  const quota = resourceQuota(cluster);
  const stopDisruption = startDisruption(cluster);
  const deps = { cluster, resolveService };
  const plugins = [
    namespaceLifecycle(cluster),
    limitRanger(cluster),
    serviceAccountAdmission(cluster),
    podDefaults(cluster),
    defaultStorageClass(cluster),
    mutatingWebhooks(deps),
    validatingWebhooks(deps),
    // Last, so that nothing is counted that somebody else still refuses.
    quota,
  ];
  return {
    plugins,
    stop: () => {
      quota.stop();
      stopDisruption();
    },
  };
}

const nowhere: ResolveService = ({ name }) => `no endpoints available for service "${name}"`;
