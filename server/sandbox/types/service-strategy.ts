import { type KubernetesObject } from "@/server/kubernetes/object";
import { type AdmissionPlugin } from "@/server/sandbox/admission-plugin";
import { type Cluster } from "@/server/sandbox/cluster";
import { invalid, notSupported, required, type FieldError } from "@/server/sandbox/field-error";
import { isRecord, listOf, recordOf, textOf } from "@/server/sandbox/json";
import { type Strategy } from "@/server/sandbox/type-registry";
import { fill, records } from "@/server/sandbox/types/default-pod-spec";
import { labelsErrors } from "@/server/sandbox/types/validate-labels";
import { portErrors } from "@/server/sandbox/types/validate-pod-spec";

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

export const serviceStrategy: Strategy = {
  normalize(service) {
    const { spec } = service;
    if (!isRecord(spec)) return;
    fill(spec, { type: "ClusterIP", sessionAffinity: "None" });
    if (spec["type"] !== "ExternalName") fill(spec, { internalTrafficPolicy: "Cluster" });
    if (spec["type"] === "NodePort" || spec["type"] === "LoadBalancer")
      fill(spec, { externalTrafficPolicy: "Cluster" });
    for (const port of records(spec["ports"])) fill(port, { protocol: "TCP", targetPort: port["port"] });
  },
  prepareCreate(service) {
    service.status = { loadBalancer: {} };
  },
  /** What was given to a service stays with it when an update leaves it out. */
  prepareUpdate(service, old) {
    if (!isRecord(service.spec) || service.spec["type"] === "ExternalName") return;
    fill(service.spec, {
      clusterIP: old.spec?.["clusterIP"],
      clusterIPs: old.spec?.["clusterIPs"],
      ipFamilies: old.spec?.["ipFamilies"],
      ipFamilyPolicy: old.spec?.["ipFamilyPolicy"],
    });
  },
  validate: serviceErrors,
};

function serviceErrors({ spec = {} }: KubernetesObject, old: KubernetesObject | undefined): FieldError[] {
  const errors = labelsErrors(spec["selector"], "spec.selector");
  const type = textOf(spec["type"]);
  const headless = spec["clusterIP"] === "None";
  if (!TYPES.includes(type)) errors.push(notSupported("spec.type", type, TYPES));
  const ports = listOf(spec["ports"]).map(recordOf);
  if (ports.length === 0 && !headless && type !== "ExternalName") errors.push(required("spec.ports"));
  for (const [i, port] of ports.entries()) {
    errors.push(...portErrors(port["port"], `spec.ports[${i}].port`));
    if (ports.length > 1 && textOf(port["name"]) === "") errors.push(required(`spec.ports[${i}].name`));
  }
  if (type === "ExternalName" && textOf(spec["externalName"]) === "") errors.push(required("spec.externalName"));
  const before = textOf(old?.spec?.["clusterIP"]);
  if (
    before !== "" &&
    type !== "ExternalName" &&
    old?.spec?.["type"] !== "ExternalName" &&
    spec["clusterIP"] !== before
  ) {
    errors.push({
      ...invalid("spec.clusterIPs[0]", spec["clusterIP"], "may not change once set"),
      badText: `[]string{${JSON.stringify(spec["clusterIP"])}}`,
    });
  }
  return errors;
}

const NODE_PORT_FIRST = 30_000;
const NODE_PORTS = 2_768;

/** Gives each service an address of its own, and node ports to those that want them. */
export function serviceAddresses(cluster: Cluster): AdmissionPlugin {
  const services = { group: "", plural: "services" };
  let lastAddress = 1;
  let lastPort = 0;

  function freeAddress(): string {
    const taken = new Set(cluster.list(services).map(({ spec }) => spec?.["clusterIP"]));
    for (;;) {
      lastAddress = (lastAddress % 65_000) + 1;
      const address = `10.96.${lastAddress >> 8}.${lastAddress & 0xff}`;
      if (lastAddress > 1 && (lastAddress & 0xff) !== 0 && !taken.has(address)) return address;
    }
  }

  function freePort(): number {
    const taken = new Set(
      cluster.list(services).flatMap(({ spec }) => records(spec?.["ports"]).map((port) => port["nodePort"])),
    );
    do lastPort = (lastPort + 1) % NODE_PORTS;
    while (taken.has(NODE_PORT_FIRST + lastPort));
    return NODE_PORT_FIRST + lastPort;
  }

  return {
    name: "ServiceAddresses",
    mutate({ type, subresource, object }) {
      if (type.storageKey !== "services" || subresource || !isRecord(object?.spec)) return;
      const { spec } = object;
      if (spec["type"] === "ExternalName") return;
      if (textOf(spec["clusterIP"]) === "") spec["clusterIP"] = freeAddress();
      fill(spec, { clusterIPs: [spec["clusterIP"]], ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" });
      if (spec["type"] !== "NodePort" && spec["type"] !== "LoadBalancer") return;
      for (const port of records(spec["ports"])) port["nodePort"] ??= freePort();
    },
  };
}
