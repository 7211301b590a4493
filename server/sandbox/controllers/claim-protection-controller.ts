import { apis } from "@/server/kubernetes/apis";
import { keyOf, splitKey } from "@/server/sandbox/objects/meta";
import { isFinished, type Pod } from "@/server/sandbox/objects/pod";
import { type Claim } from "@/server/sandbox/objects/storage";
import { type Controller, type ControllerContext, watchItself } from "./controller";

const PROTECTION = "kubernetes.io/pvc-protection";

/** A claim that is deleted stays until no pod uses it. */
export function claimProtectionController({ shelves }: ControllerContext): Controller {
  const claims = shelves.of<Claim>(apis.persistentVolumeClaim);
  const pods = shelves.of<Pod>(apis.pod);
  const uses = (pod: Pod, name: string) =>
    (pod.spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name);

  return {
    reconcile: async (key) => {
      const { namespace, name } = splitKey(key);
      const claim = claims.get(namespace, name);
      if (!claim) return undefined;
      const { finalizers = [], deletionTimestamp } = claim.metadata;
      const isProtected = finalizers.includes(PROTECTION);
      if (deletionTimestamp === undefined) {
        if (!isProtected)
          await claims.change(namespace, name, (old) => withFinalizers(old, (names) => [...names, PROTECTION]));
        return undefined;
      }
      const used = pods.list({ namespace }).some((pod) => uses(pod, name) && !isFinished(pod) && pod.spec.nodeName);
      if (isProtected && !used) {
        await claims.change(namespace, name, (old) =>
          withFinalizers(old, (names) => names.filter((other) => other !== PROTECTION)),
        );
      }
      return undefined;
    },
    watches: [
      watchItself(apis.persistentVolumeClaim),
      {
        api: apis.pod,
        keysOf: ({ object }) => {
          const { namespace = "", name } = object.metadata;
          const pod = pods.get(namespace, name);
          return claims
            .list({ namespace })
            .filter(
              (claim) => claim.metadata.deletionTimestamp !== undefined && (!pod || uses(pod, claim.metadata.name)),
            )
            .map(keyOf);
        },
      },
    ],
  };
}

function withFinalizers(claim: Claim, change: (names: readonly string[]) => string[]): Claim {
  return { ...claim, metadata: { ...claim.metadata, finalizers: change(claim.metadata.finalizers ?? []) } };
}
