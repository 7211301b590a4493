import { type KubernetesObject } from "@/server/kubernetes/object";
import { listOf, recordOf, textOf } from "@/server/sandbox/json";
import {
  age,
  at,
  column,
  countAt,
  labelsShown,
  name,
  selectorShown,
  shown,
  since,
  sizeAt,
  textAt,
  wide,
} from "@/server/sandbox/table/cells";
import { podColumns } from "@/server/sandbox/table/pod-columns";
import { workloadColumns } from "@/server/sandbox/table/workload-columns";
import { type Column } from "@/server/sandbox/type-registry";

/** By resource: the columns of the built-in kinds. The others show their name and when they were created. */
export const builtinColumns: Readonly<Record<string, readonly Column[]>> = {
  ...workloadColumns,
  pods: podColumns,
  configmaps: [
    name,
    column(
      "Data",
      (object) => Object.keys(recordOf(object["data"])).length + Object.keys(recordOf(object["binaryData"])).length,
      "integer",
    ),
    age,
  ],
  secrets: [name, column("Type", textAt("type")), column("Data", sizeAt("data"), "integer"), age],
  serviceaccounts: [name, column("Secrets", sizeAt("secrets"), "integer"), age],
  namespaces: [name, column("Status", textAt("status.phase")), age],
  nodes: [
    name,
    column("Status", nodeStatus),
    column("Roles", nodeRoles),
    age,
    column("Version", textAt("status.nodeInfo.kubeletVersion")),
    wide("Internal-IP", (node) => nodeAddress(node, "InternalIP")),
    wide("External-IP", (node) => nodeAddress(node, "ExternalIP")),
    wide("OS-Image", textAt("status.nodeInfo.osImage", "<unknown>")),
    wide("Kernel-Version", textAt("status.nodeInfo.kernelVersion", "<unknown>")),
    wide("Container-Runtime", textAt("status.nodeInfo.containerRuntimeVersion", "<unknown>")),
  ],
  services: [
    name,
    column("Type", textAt("spec.type")),
    column("Cluster-IP", textAt("spec.clusterIP", "<none>")),
    column("External-IP", externalAddress),
    column("Port(s)", (service) => listOf(at(service, "spec.ports")).map(shownPort).join(",") || "<none>"),
    age,
    wide("Selector", (service) => labelsShown(at(service, "spec.selector"))),
  ],
  endpoints: [name, column("Endpoints", endpointsShown), age],
  "endpointslices.discovery.k8s.io": [
    name,
    column("AddressType", textAt("addressType")),
    column(
      "Ports",
      (slice) =>
        listOf(slice["ports"])
          .map((port) => shown(recordOf(port)["port"], "*"))
          .join(",") || "<unset>",
    ),
    column(
      "Endpoints",
      (slice) =>
        listOf(slice["endpoints"])
          .flatMap((endpoint) => listOf(recordOf(endpoint)["addresses"]))
          .join(",") || "<unset>",
    ),
    age,
  ],
  persistentvolumeclaims: [
    name,
    column("Status", (claim) => (claim.metadata.deletionTimestamp ? "Terminating" : textOf(at(claim, "status.phase")))),
    column("Volume", textAt("spec.volumeName")),
    column("Capacity", (claim) => shown(at(claim, "status.capacity.storage"))),
    column("Access Modes", (claim) => accessModes(at(claim, "status.accessModes"))),
    column("StorageClass", textAt("spec.storageClassName")),
    column("VolumeAttributesClass", textAt("spec.volumeAttributesClassName", "<unset>")),
    age,
    wide("VolumeMode", textAt("spec.volumeMode", "<unset>")),
  ],
  persistentvolumes: [
    name,
    column("Capacity", (volume) => shown(at(volume, "spec.capacity.storage"))),
    column("Access Modes", (volume) => accessModes(at(volume, "spec.accessModes"))),
    column("Reclaim Policy", textAt("spec.persistentVolumeReclaimPolicy")),
    column("Status", (volume) =>
      volume.metadata.deletionTimestamp ? "Terminating" : textOf(at(volume, "status.phase")),
    ),
    column("Claim", (volume) =>
      at(volume, "spec.claimRef")
        ? `${textOf(at(volume, "spec.claimRef.namespace"))}/${textOf(at(volume, "spec.claimRef.name"))}`
        : "",
    ),
    column("StorageClass", textAt("spec.storageClassName")),
    column("VolumeAttributesClass", textAt("spec.volumeAttributesClassName", "<unset>")),
    column("Reason", textAt("status.reason")),
    age,
    wide("VolumeMode", textAt("spec.volumeMode", "<unset>")),
  ],
  events: [
    column("Last Seen", (event, now) =>
      since(event["lastTimestamp"] ?? event["eventTime"] ?? event.metadata.creationTimestamp, now),
    ),
    column("Type", textAt("type")),
    column("Reason", textAt("reason")),
    column(
      "Object",
      (event) =>
        `${textOf(at(event, "involvedObject.kind")).toLowerCase()}/${textOf(at(event, "involvedObject.name"))}`,
    ),
    wide("Subobject", textAt("involvedObject.fieldPath")),
    wide("Source", (event) =>
      [textOf(at(event, "source.component")), textOf(at(event, "source.host"))].filter(Boolean).join(", "),
    ),
    column("Message", (event) => textOf(event["message"]).trim()),
    wide("First Seen", (event, now) => since(event["firstTimestamp"] ?? event["eventTime"], now)),
    wide("Count", (event) => shown(event["count"], "1")),
    wide("Name", ({ metadata }) => metadata.name),
  ],
  resourcequotas: [
    name,
    column("Request", (quota) => quotaShown(quota, (key) => !key.startsWith("limits."))),
    column("Limit", (quota) => quotaShown(quota, (key) => key.startsWith("limits."))),
    age,
  ],
  "ingresses.networking.k8s.io": [
    name,
    column("Class", textAt("spec.ingressClassName", "<none>")),
    column(
      "Hosts",
      (ingress) =>
        listOf(at(ingress, "spec.rules"))
          .map((rule) => textOf(recordOf(rule)["host"]) || "*")
          .join(",") || "*",
    ),
    column("Address", (ingress) => loadBalancer(ingress)),
    column("Ports", (ingress) => (listOf(at(ingress, "spec.tls")).length > 0 ? "80, 443" : "80")),
    age,
  ],
  "networkpolicies.networking.k8s.io": [
    name,
    column("Pod-Selector", (policy) => selectorShown(at(policy, "spec.podSelector"))),
    age,
  ],
  "rolebindings.rbac.authorization.k8s.io": bindingColumns(),
  "clusterrolebindings.rbac.authorization.k8s.io": bindingColumns(),
  "leases.coordination.k8s.io": [name, column("Holder", textAt("spec.holderIdentity")), age],
  "storageclasses.storage.k8s.io": [
    column(
      "Name",
      ({ metadata }) =>
        `${metadata.name}${metadata.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true" ? " (default)" : ""}`,
    ),
    column("Provisioner", textAt("provisioner")),
    column("ReclaimPolicy", textAt("reclaimPolicy", "Delete")),
    column("VolumeBindingMode", textAt("volumeBindingMode", "<unset>")),
    column("AllowVolumeExpansion", (object) => object["allowVolumeExpansion"] === true, "boolean"),
    age,
  ],
  "priorityclasses.scheduling.k8s.io": [
    name,
    column("Value", countAt("value"), "integer"),
    column("Global-Default", (object) => object["globalDefault"] === true, "boolean"),
    age,
  ],
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": [
    name,
    column("Webhooks", sizeAt("webhooks"), "integer"),
    age,
  ],
  "validatingwebhookconfigurations.admissionregistration.k8s.io": [
    name,
    column("Webhooks", sizeAt("webhooks"), "integer"),
    age,
  ],
};

function bindingColumns(): Column[] {
  const subjects = (binding: KubernetesObject, kind: string) =>
    listOf(binding["subjects"])
      .map(recordOf)
      .filter((subject) => subject["kind"] === kind)
      .map(({ name: title, namespace }) => (namespace ? `${textOf(namespace)}/${textOf(title)}` : textOf(title)))
      .join(", ");
  return [
    name,
    column("Role", (binding) => `${textOf(at(binding, "roleRef.kind"))}/${textOf(at(binding, "roleRef.name"))}`),
    age,
    wide("Users", (binding) => subjects(binding, "User")),
    wide("Groups", (binding) => subjects(binding, "Group")),
    wide("ServiceAccounts", (binding) => subjects(binding, "ServiceAccount")),
  ];
}

function nodeStatus(node: KubernetesObject): string {
  const ready = listOf(at(node, "status.conditions"))
    .map(recordOf)
    .find(({ type }) => type === "Ready");
  const shown = ready ? (ready["status"] === "True" ? "Ready" : "NotReady") : "Unknown";
  return at(node, "spec.unschedulable") === true ? `${shown},SchedulingDisabled` : shown;
}

function nodeRoles({ metadata }: KubernetesObject): string {
  const prefix = "node-role.kubernetes.io/";
  const roles = Object.keys(metadata.labels ?? {}).filter((label) => label.startsWith(prefix));
  return (
    roles
      .map((label) => label.slice(prefix.length))
      .sort()
      .join(",") || "<none>"
  );
}

function nodeAddress(node: KubernetesObject, kind: string): string {
  const found = listOf(at(node, "status.addresses"))
    .map(recordOf)
    .find(({ type }) => type === kind);
  return textOf(found?.["address"]) || "<none>";
}

function externalAddress(service: KubernetesObject): string {
  const external = listOf(at(service, "spec.externalIPs")).map(textOf);
  const type = textOf(at(service, "spec.type"));
  if (type === "ExternalName") return textOf(at(service, "spec.externalName"));
  if (type === "LoadBalancer") return [loadBalancer(service), ...external].filter(Boolean).join(",") || "<pending>";
  return external.join(",") || "<none>";
}

function loadBalancer(object: KubernetesObject): string {
  const entries = listOf(at(object, "status.loadBalancer.ingress")).map(recordOf);
  return entries.map(({ ip, hostname }) => textOf(ip) || textOf(hostname)).join(",");
}

function shownPort(value: unknown): string {
  const { port, nodePort, protocol } = recordOf(value);
  return `${String(port)}${nodePort ? `:${shown(nodePort)}` : ""}/${textOf(protocol) || "TCP"}`;
}

function endpointsShown(endpoints: KubernetesObject): string {
  const all = listOf(endpoints["subsets"]).flatMap((subset) => {
    const { addresses, ports } = recordOf(subset);
    return listOf(addresses).flatMap((address) =>
      listOf(ports).map((port) => `${textOf(recordOf(address)["ip"])}:${String(recordOf(port)["port"])}`),
    );
  });
  if (all.length === 0) return "<none>";
  return all.length > 3 ? `${all.slice(0, 3).join(",")} + ${all.length - 3} more...` : all.join(",");
}

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function accessModes(modes: unknown): string {
  return listOf(modes)
    .map((mode) => shortModes[textOf(mode)] ?? textOf(mode))
    .join(",");
}

function quotaShown(quota: KubernetesObject, isShown: (key: string) => boolean): string {
  const used = recordOf(at(quota, "status.used"));
  return Object.entries(recordOf(at(quota, "status.hard")))
    .filter(([key]) => isShown(key))
    .map(([key, hard]) => `${key}: ${shown(used[key], "0")}/${String(hard)}`)
    .join(", ");
}
