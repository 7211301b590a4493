import { type Draft, type OwnerReference, without } from "@/server/sandbox/objects/meta";
import { type Pod, type Volume } from "@/server/sandbox/objects/pod";
import { type Claim } from "@/server/sandbox/objects/storage";
import { type ControllerRevision, type StatefulSet } from "@/server/sandbox/objects/workload";
import { podFromTemplate } from "./owned-pods";

const ORDINAL = /^(.*)-([0-9]+)$/;

/** The pod's place in the set; -1 for a pod that is not named after it. */
export function ordinalOf(set: StatefulSet, pod: { metadata: { name: string } }): number {
  const match = ORDINAL.exec(pod.metadata.name);
  return match && match[1] === set.metadata.name ? Number(match[2]) : -1;
}

/** The pod of this ordinal, of the template that the revision keeps. */
export function statefulPod(
  set: StatefulSet,
  revision: ControllerRevision,
  ordinal: number,
): Draft<Pod> & { metadata: { name: string } } {
  const template = without(revision.data.spec.template, "$patch");
  const draft = podFromTemplate(template, set);
  const name = `${set.metadata.name}-${ordinal}`;
  const claims = (set.spec.volumeClaimTemplates ?? []).map((claim): Volume => ({
    name: claim.metadata.name,
    persistentVolumeClaim: { claimName: claimName(set, claim.metadata.name, ordinal), readOnly: false },
  }));
  const claimed = new Set(claims.map((volume) => volume.name));
  const others = (draft.spec.volumes ?? []).filter((volume) => !claimed.has(volume.name));
  const volumes = [...claims, ...others];
  return {
    ...draft,
    metadata: {
      ...draft.metadata,
      name,
      labels: {
        ...draft.metadata.labels,
        "controller-revision-hash": revision.metadata.name,
        "statefulset.kubernetes.io/pod-name": name,
        "apps.kubernetes.io/pod-index": String(ordinal),
      },
    },
    spec: {
      ...draft.spec,
      hostname: name,
      subdomain: set.spec.serviceName,
      volumes: volumes.length > 0 ? volumes : undefined,
    },
  };
}

function claimName(set: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`;
}

/** The claims that the pod of this ordinal mounts. */
export function statefulClaims(set: StatefulSet, ordinal: number): (Draft<Claim> & { metadata: { name: string } })[] {
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: claimName(set, template.metadata.name, ordinal),
      namespace: set.metadata.namespace,
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
      annotations: template.metadata.annotations && { ...template.metadata.annotations },
    },
    spec: structuredClone(template.spec),
  }));
}

/**
 * The owners of a claim under the set's retention policy: the set while its deletion shall delete the claim, the pod
 * while scaling down shall; null when they are right already.
 */
export function claimOwners(
  set: StatefulSet,
  claim: Claim,
  pod: Pod | undefined,
  condemned: boolean,
): OwnerReference[] | null {
  const policy = set.spec.persistentVolumeClaimRetentionPolicy;
  const owners = claim.metadata.ownerReferences ?? [];
  const ours = new Set([set.metadata.uid, pod?.metadata.uid]);
  const kept = owners.filter((owner) => !ours.has(owner.uid));
  const wanted = [...kept];
  if (policy?.whenScaled === "Delete" && condemned && pod) {
    wanted.push({ apiVersion: "v1", kind: "Pod", name: pod.metadata.name, uid: pod.metadata.uid });
  } else if (policy?.whenDeleted === "Delete") {
    wanted.push({ apiVersion: "apps/v1", kind: "StatefulSet", name: set.metadata.name, uid: set.metadata.uid });
  }
  const same =
    wanted.length === owners.length && wanted.every((owner) => owners.some((other) => other.uid === owner.uid));
  return same ? null : wanted;
}
