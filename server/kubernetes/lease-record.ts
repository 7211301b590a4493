import { apis } from "@/server/kubernetes/apis";
import { apiVersionOf, type KubernetesObject } from "@/server/kubernetes/object";

/** What a Lease says. */
export type LeaseRecord = {
  /** "" when it was released. */
  holder: string;
  durationMs: number;
  transitions: number;
  /** As written by the first renewal of this holder; kept by the next ones. */
  acquireTime: string | undefined;
  resourceVersion: string | undefined;
};

export function recordOf({ metadata, spec = {} }: KubernetesObject): LeaseRecord {
  const { holderIdentity, leaseDurationSeconds, leaseTransitions, acquireTime } = spec;
  return {
    holder: typeof holderIdentity === "string" ? holderIdentity : "",
    durationMs: typeof leaseDurationSeconds === "number" ? leaseDurationSeconds * 1_000 : 0,
    transitions: typeof leaseTransitions === "number" ? leaseTransitions : 0,
    acquireTime: typeof acquireTime === "string" ? acquireTime : undefined,
    resourceVersion: metadata.resourceVersion,
  };
}

export function leaseObject(
  at: { namespace: string; name: string },
  record: LeaseRecord,
  nowMs: number,
): KubernetesObject {
  return {
    apiVersion: apiVersionOf(apis.lease),
    kind: apis.lease.kind,
    metadata: { ...at, resourceVersion: record.resourceVersion },
    spec: {
      holderIdentity: record.holder,
      leaseDurationSeconds: Math.max(1, Math.round(record.durationMs / 1_000)),
      leaseTransitions: record.transitions,
      acquireTime: record.acquireTime ?? microTime(nowMs),
      renewTime: microTime(nowMs),
    },
  };
}

/** The server takes six digits in a MicroTime, and refuses three. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
