import { isDeepStrictEqual } from "node:util";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { podSpecWithDefaults, resourcesByValue } from "./api-defaults";
import { annotations } from "./generation-names";
import { isRecord } from "./stable-hash";

type Fields = Record<string, unknown>;

/** Where a live StatefulSet differs from the one that the spec asks for; none means that it matches. */
export function stsDifferences(live: KubernetesObject, desired: KubernetesObject): string[] {
  const hash = desired.metadata.annotations?.[annotations.desiredHash] ?? "";
  const known = compared.get(live);
  if (known?.hash === hash) return known.differences;
  const differences = differencesOf(live, desired);
  compared.set(live, { hash, differences });
  return differences;
}

/** Objects of a cache are never changed in place, and most passes look at the same pair again. */
const compared = new WeakMap<KubernetesObject, { hash: string; differences: string[] }>();

function differencesOf(live: KubernetesObject, desired: KubernetesObject): string[] {
  const hashes = [annotations.configHash, annotations.classHash].filter(
    (name) => live.metadata.annotations?.[name] !== desired.metadata.annotations?.[name],
  );
  return [...hashes.map((name) => `metadata.annotations[${name}]`), ...specDifferences(live, desired)];
}

function specDifferences(live: KubernetesObject, desired: KubernetesObject): string[] {
  const differences = [
    ...fieldDifferences(partsOf(live), partsOf(desired), "spec"),
    ...fieldDifferences(templateOf(live), templateOf(desired), "spec.template"),
    ...podDifferences(live, desired),
  ];
  // The spec is as we sent it and was never touched: what differs was filled in by a server we do not know, and
  // rolling again would end the same way, for ever.
  return differences.length > 0 && untouched(live, desired) ? [] : differences;
}

function untouched(live: KubernetesObject, desired: KubernetesObject): boolean {
  const hash = live.metadata.annotations?.[annotations.desiredHash];
  return (
    hash !== undefined &&
    hash === desired.metadata.annotations?.[annotations.desiredHash] &&
    live.metadata.generation === 1
  );
}

function partsOf({ spec = {} }: KubernetesObject): Fields {
  return {
    replicas: spec.replicas ?? 1,
    serviceName: spec.serviceName,
    podManagementPolicy: spec.podManagementPolicy,
    volumeClaimTemplates: records(spec.volumeClaimTemplates).map(claimOf),
  };
}

/** Of a claim only what we ask for: class and mode are the cluster's to fill in. */
function claimOf({ metadata, spec }: Fields): Fields {
  const claim = isRecord(spec) ? spec : {};
  return {
    name: isRecord(metadata) ? metadata.name : undefined,
    accessModes: claim.accessModes,
    resources: resourcesByValue(claim.resources),
    storageClassName: claim.storageClassName,
  };
}

function templateOf({ spec = {} }: KubernetesObject): Fields {
  const metadata = isRecord(spec.template) && isRecord(spec.template.metadata) ? spec.template.metadata : {};
  return { labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} };
}

function podDifferences(live: KubernetesObject, desired: KubernetesObject): string[] {
  const path = "spec.template.spec";
  const [{ containers: liveContainers, initContainers: liveInit, ...livePod }, desiredPod] = [
    podOf(live),
    podOf(desired),
  ];
  const { containers, initContainers, ...pod } = desiredPod;
  return [
    ...fieldDifferences(livePod, pod, path),
    ...namedDifferences(liveContainers, containers, `${path}.containers`),
    ...namedDifferences(liveInit, initContainers, `${path}.initContainers`),
  ];
}

function podOf({ spec = {} }: KubernetesObject): Fields {
  return podSpecWithDefaults(isRecord(spec.template) && isRecord(spec.template.spec) ? spec.template.spec : {});
}

function namedDifferences(live: unknown, desired: unknown, path: string): string[] {
  const [liveList, desiredList] = [records(live), records(desired)];
  const namesOf = (list: Fields[]) => list.map(({ name }) => String(name));
  if (!isDeepStrictEqual(namesOf(liveList), namesOf(desiredList))) return [path];
  return desiredList.flatMap((one, at) => fieldDifferences(liveList[at] ?? {}, one, `${path}[${String(one.name)}]`));
}

function fieldDifferences(live: Fields, desired: Fields, path: string): string[] {
  const fields = new Set([...Object.keys(live), ...Object.keys(desired)]);
  return [...fields]
    .filter((field) => !isDeepStrictEqual(live[field], desired[field]))
    .map((field) => `${path}.${field}`);
}

function records(list: unknown): Fields[] {
  return Array.isArray(list) ? (list as unknown[]).filter(isRecord) : [];
}
