import { selects } from "@/server/sandbox/objects/label-selector";
import {
  controllerOf,
  controllerRefTo,
  type Draft,
  type Kept,
  type LabelSelector,
} from "@/server/sandbox/objects/meta";
import { type Pod, type PodTemplate } from "@/server/sandbox/objects/pod";
import { type Shelf } from "./shelves";

/** So many pods a pass creates at most, however many are asked for: the next pass goes on, and others get their turn. */
export const PODS_PER_PASS = 500;

type Claim = { owner: Kept; selector: LabelSelector | undefined; fits?: (pod: Pod) => boolean };

/** The pods of a workload: those it controls; orphans that fit are adopted, and its own that fit no more are let go. */
export async function ownedPods(pods: Shelf<Pod>, { owner, selector, fits = () => true }: Claim): Promise<Pod[]> {
  const deleting = owner.metadata.deletionTimestamp !== undefined;
  const claimed: Pod[] = [];
  for (const pod of candidates(pods, owner)) {
    const matches = selects(selector, pod.metadata.labels) && fits(pod);
    const controller = controllerOf(pod);
    if (controller?.uid === owner.metadata.uid) {
      if (matches || deleting) claimed.push(pod);
      else await release(pods, pod, owner);
    } else if (!controller && matches && !deleting && pod.metadata.deletionTimestamp === undefined) {
      const ownerReferences = [...(pod.metadata.ownerReferences ?? []), controllerRefTo(owner)];
      claimed.push(await pods.update({ ...pod, metadata: { ...pod.metadata, ownerReferences } }));
    }
  }
  return claimed;
}

/** Its own pods, and those of the namespace that nobody controls. */
function candidates(pods: Shelf<Pod>, owner: Kept): Pod[] {
  return pods.list({ namespace: owner.metadata.namespace }).filter((pod) => {
    const controller = controllerOf(pod);
    return !controller || controller.uid === owner.metadata.uid;
  });
}

async function release(pods: Shelf<Pod>, pod: Pod, owner: Kept) {
  const ownerReferences = pod.metadata.ownerReferences?.filter((reference) => reference.uid !== owner.metadata.uid);
  await pods.update({ ...pod, metadata: { ...pod.metadata, ownerReferences } });
}

/** A pod of this template, controlled by the owner; the name is the caller's to give. */
export function podFromTemplate(
  template: PodTemplate,
  owner: Kept,
): Draft<Pod> & { metadata: { labels: Record<string, string> } } {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: owner.metadata.namespace,
      generateName: `${owner.metadata.name}-`,
      labels: { ...template.metadata?.labels },
      annotations: template.metadata?.annotations && { ...template.metadata.annotations },
      ownerReferences: [controllerRefTo(owner)],
    },
    spec: structuredClone(template.spec),
  };
}
