import { apis } from "@/server/kubernetes/apis";
import { type Api } from "@/server/kubernetes/object";
import { selectsByMap } from "@/server/sandbox/objects/label-selector";
import { controllerRefTo, type Draft, type Kept, keyOf, splitKey } from "@/server/sandbox/objects/meta";
import { isFinished, isReady, isTerminating, type Pod } from "@/server/sandbox/objects/pod";
import {
  type EndpointAddress,
  type Endpoints,
  type EndpointSlice,
  type EndpointSubset,
  type Service,
  type ServicePort,
  type SliceEndpoint,
} from "@/server/sandbox/objects/service";
import { type Controller, type ControllerContext, type Watch, watchItself } from "./controller";
import { type Shelf } from "./shelves";
import { canonical, randomSuffix } from "./template-hash";

const endpointSliceApi: Api = {
  group: "discovery.k8s.io",
  version: "v1",
  plural: "endpointslices",
  kind: "EndpointSlice",
  namespaced: true,
};
const MANAGED_BY = "endpointslice-controller.k8s.io";

/** Keeps the Endpoints of every Service with a selector: ready pods, and apart from them those that are not. */
export function endpointsController({ shelves }: ControllerContext): Controller {
  const services = shelves.of<Service>(apis.service);
  const pods = shelves.of<Pod>(apis.pod);
  const endpoints = shelves.of<Endpoints>(apis.endpoints);

  async function reconcile(key: string): Promise<undefined> {
    const { namespace, name } = splitKey(key);
    const service = services.get(namespace, name);
    const existing = endpoints.get(namespace, name);
    if (!service) {
      if (existing) await endpoints.remove(existing);
      return;
    }
    if (!service.spec.selector) return;
    const subsets = subsetsOf(
      service,
      podsOf(pods, service).filter((pod) => !isTerminating(pod)),
    );
    const labels = {
      ...service.metadata.labels,
      ...(service.spec.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {}),
    };
    if (!existing) {
      await endpoints.create({
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name, namespace, labels, annotations: service.metadata.annotations },
        subsets,
      });
      return;
    }
    if (
      canonical(existing.subsets ?? []) === canonical(subsets) &&
      canonical(existing.metadata.labels ?? {}) === canonical(labels)
    )
      return;
    await endpoints.update({ ...existing, metadata: { ...existing.metadata, labels }, subsets });
  }

  return { reconcile, watches: [watchItself(apis.service), watchItself(apis.endpoints), watchServing(services)] };
}

/** Keeps the EndpointSlices of every Service with a selector; unlike Endpoints they also hold pods that terminate. */
export function endpointSliceController({ shelves }: ControllerContext): Controller {
  const services = shelves.of<Service>(apis.service);
  const pods = shelves.of<Pod>(apis.pod);
  const slices = shelves.of<EndpointSlice>(endpointSliceApi);

  async function reconcile(key: string): Promise<undefined> {
    const { namespace, name } = splitKey(key);
    const service = services.get(namespace, name);
    // Those of a service that is gone are collected with it.
    if (!service?.spec.selector) return;
    const mine = slices
      .ownedBy(service.metadata.uid)
      .filter((slice) => slice.metadata.labels?.["endpointslice.kubernetes.io/managed-by"] === MANAGED_BY);
    const wanted = slicesOf(service, podsOf(pods, service));
    for (const [index, draft] of wanted.entries()) {
      const existing = mine[index];
      const same =
        existing &&
        canonical([existing.endpoints, existing.ports ?? []]) === canonical([draft.endpoints, draft.ports ?? []]);
      if (same) continue;
      if (existing) await slices.update({ ...existing, endpoints: draft.endpoints, ports: draft.ports });
      else await slices.create(draft);
    }
    for (const surplus of mine.slice(wanted.length)) await slices.remove(surplus);
  }

  const watchSlices: Watch = {
    api: endpointSliceApi,
    keysOf: ({ object }) => {
      const service = object.metadata.labels?.["kubernetes.io/service-name"];
      return service ? [`${object.metadata.namespace ?? ""}/${service}`] : [];
    },
  };
  return { reconcile, watches: [watchItself(apis.service), watchSlices, watchServing(services)] };
}

function watchServing(services: Shelf<Service>): Watch {
  return {
    api: apis.pod,
    keysOf: ({ object, old }) =>
      services
        .list({ namespace: object.metadata.namespace })
        .filter(({ spec }) =>
          [object, old].some((pod: Kept | undefined) => pod && selectsByMap(spec.selector, pod.metadata.labels)),
        )
        .map(keyOf),
  };
}

/** The pods behind a service that have an address and are not over, in the order of their names. */
function podsOf(pods: Shelf<Pod>, service: Service): Pod[] {
  return pods
    .list({ namespace: service.metadata.namespace })
    .filter((pod) => selectsByMap(service.spec.selector, pod.metadata.labels) && pod.status?.podIP && !isFinished(pod))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

type Port = { name?: string; port: number; protocol?: string; appProtocol?: string };

/** The ports of the service on this pod; a port by name may be another number on every pod. */
function portsOn(service: Service, pod: Pod): Port[] {
  return (service.spec.ports ?? []).flatMap((port) => {
    const number = targetPort(port, pod);
    return number === undefined
      ? []
      : [{ name: port.name, port: number, protocol: port.protocol ?? "TCP", appProtocol: port.appProtocol }];
  });
}

function targetPort({ port, targetPort: target }: ServicePort, pod: Pod): number | undefined {
  if (typeof target === "number") return target === 0 ? port : target;
  if (target === undefined || target === "") return port;
  if (/^[0-9]+$/.test(target)) return Number(target);
  return pod.spec.containers.flatMap((container) => container.ports ?? []).find((declared) => declared.name === target)
    ?.containerPort;
}

function subsetsOf(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const headless = service.spec.clusterIP === "None" && (service.spec.ports ?? []).length === 0;
  const byPorts = new Map<string, EndpointSubset>();
  for (const pod of pods) {
    const ports = portsOn(service, pod);
    if (ports.length === 0 && !headless) continue;
    const id = canonical(ports);
    const subset: EndpointSubset = byPorts.get(id) ?? (ports.length > 0 ? { ports } : {});
    const ready = isReady(pod) || service.spec.publishNotReadyAddresses === true;
    const side = ready ? "addresses" : "notReadyAddresses";
    subset[side] = [...(subset[side] ?? []), addressOf(service, pod)];
    byPorts.set(id, subset);
  }
  return [...byPorts.values()];
}

function addressOf(service: Service, pod: Pod): EndpointAddress {
  return {
    ip: pod.status?.podIP ?? "",
    nodeName: pod.spec.nodeName,
    targetRef: targetOf(pod),
    ...hostnameOf(service, pod),
  };
}

function hostnameOf(service: Service, { spec }: Pod): { hostname?: string } {
  return spec.hostname && spec.subdomain === service.metadata.name ? { hostname: spec.hostname } : {};
}

function targetOf({ metadata }: Pod) {
  return { kind: "Pod", namespace: metadata.namespace ?? "", name: metadata.name, uid: metadata.uid };
}

function slicesOf(service: Service, pods: readonly Pod[]): Draft<EndpointSlice>[] {
  const byPorts = new Map<string, { ports: Port[]; endpoints: SliceEndpoint[] }>();
  for (const pod of pods) {
    const ports = portsOn(service, pod);
    const group = byPorts.get(canonical(ports)) ?? { ports, endpoints: [] };
    const serving = isReady(pod);
    const terminating = isTerminating(pod);
    const ready = (serving && !terminating) || service.spec.publishNotReadyAddresses === true;
    group.endpoints.push({
      addresses: [pod.status?.podIP ?? ""],
      conditions: { ready, serving, terminating },
      nodeName: pod.spec.nodeName,
      targetRef: targetOf(pod),
      ...hostnameOf(service, pod),
    });
    byPorts.set(canonical(ports), group);
  }
  const groups = byPorts.size > 0 ? [...byPorts.values()] : [{ ports: [], endpoints: [] }];
  return groups.map(({ ports, endpoints }) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${service.metadata.name}-${randomSuffix()}`,
      generateName: `${service.metadata.name}-`,
      namespace: service.metadata.namespace,
      labels: {
        ...service.metadata.labels,
        "kubernetes.io/service-name": service.metadata.name,
        "endpointslice.kubernetes.io/managed-by": MANAGED_BY,
        ...(service.spec.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {}),
      },
      ownerReferences: [controllerRefTo(service)],
    },
    addressType: "IPv4",
    endpoints,
    ports: ports.map((port) => ({
      name: port.name ?? "",
      port: port.port,
      protocol: port.protocol ?? "TCP",
      ...(port.appProtocol ? { appProtocol: port.appProtocol } : {}),
    })),
  }));
}
