import { type Instance } from "@/machines/firebolt/instance.schema";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { ownerReference } from "./engine-objects";
import { gatewayConfig } from "./gateway-config";
import { annotations, labels } from "./generation-names";
import { type Component, instanceNames } from "./instance-names";
import { type InstancePod, instancePods } from "./instance-pods";
import { stableHash } from "./stable-hash";

/** Where the metadata service of an instance listens; what the engines' configuration names. */
export function metadataEndpoint({ metadata: { name, namespace } }: Instance): string {
  return `${instanceNames(name).metadata}.${namespace}.svc.cluster.local:7000`;
}

export function gatewayEndpoint({ metadata: { name, namespace } }: Instance): string {
  return `${instanceNames(name).gateway}.${namespace}.svc.cluster.local:8080`;
}

/** Everything that an instance is made of, in the order of making; its own PostgreSQL only where no other is named. */
export function instanceObjects(instance: Instance): KubernetesObject[] {
  const names = instanceNames(instance.metadata.name);
  const pods = instancePods(instance);
  const internal = instance.spec.metadata.postgres === undefined;
  return [
    ...(internal
      ? [service(instance, "postgres", names.postgres, 5432), statefulSet(instance, names.postgres, pods.postgres)]
      : []),
    service(instance, "metadata", names.metadata, 7000),
    deployment(instance, "metadata", names.metadata, pods.metadata),
    configMap(instance, names.gatewayConfig),
    service(instance, "gateway", names.gateway, 8080),
    deployment(instance, "gateway", names.gateway, pods.gateway),
  ].map(stamped);
}

/** With the hash of what is asked for: a field that is asked for no longer shows in nothing else. */
function stamped({ metadata, ...asked }: KubernetesObject): KubernetesObject {
  return { ...asked, metadata: { ...metadata, annotations: { [annotations.desiredHash]: stableHash(asked) } } };
}

/** The credentials of the instance's own PostgreSQL: written once, never read back into anything that is shown. */
export function credentialsSecret(instance: Instance, password: string): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: meta(instance, "postgres", instanceNames(instance.metadata.name).credentials),
    type: "Opaque",
    data: { username: base64("firebolt"), password: base64(password) },
  };
}

function deployment(instance: Instance, component: Component, name: string, pod: InstancePod): KubernetesObject {
  const selector = { matchLabels: componentLabels(instance, component) };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: meta(instance, component, name),
    spec: {
      replicas: pod.replicas,
      selector,
      // One metadata service at a time may hold the account; gateways may overlap.
      strategy: { type: component === "metadata" ? "Recreate" : "RollingUpdate" },
      template: templateOf(instance, component, pod),
    },
  };
}

function statefulSet(instance: Instance, name: string, pod: InstancePod): KubernetesObject {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: meta(instance, "postgres", name),
    spec: {
      replicas: 1,
      serviceName: name,
      selector: { matchLabels: componentLabels(instance, "postgres") },
      template: templateOf(instance, "postgres", pod),
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    },
  };
}

/** The hash of what a pod reads only once makes it start anew when that changes. */
function templateOf(instance: Instance, component: Component, { template, reads }: InstancePod) {
  return {
    metadata: {
      labels: { ...template.metadata.labels, ...componentLabels(instance, component) },
      annotations: { ...template.metadata.annotations, "firebolt.io/config-hash": stableHash(reads) },
    },
    spec: template.spec,
  };
}

function service(instance: Instance, component: Component, name: string, port: number): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: meta(instance, component, name),
    spec: {
      selector: componentLabels(instance, component),
      ports: [{ name: component, port, targetPort: port, protocol: "TCP" }],
    },
  };
}

function configMap(instance: Instance, name: string): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: meta(instance, "gateway", name),
    data: { "envoy.yaml": `${JSON.stringify(gatewayConfig(instance), null, 2)}\n` },
  };
}

function meta(instance: Instance, component: Component, name: string) {
  return {
    name,
    namespace: instance.metadata.namespace,
    labels: componentLabels(instance, component),
    ownerReferences: [ownerReference(instance)],
  };
}

function componentLabels(instance: Instance, component: Component): Record<string, string> {
  return { [labels.instance]: instance.metadata.name, [labels.component]: component };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
