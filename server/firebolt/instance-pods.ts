import { type Instance } from "@/machines/firebolt/instance.schema";
import { type Container } from "@/machines/firebolt/pod-template.schema";
import { gatewayConfig } from "./gateway-config";
import { type Component, instanceNames } from "./instance-names";
import { type MergedTemplate, mergeTemplates } from "./template-merge";

/** The pods of one component: how many, of what, and what they read only when they start. */
export type InstancePod = { replicas: number; template: MergedTemplate; reads: unknown };

export function instancePods(instance: Instance): Record<Component, InstancePod> {
  const { metadata, gateway } = instance.spec;
  const database = databaseOf(instance);
  return {
    postgres: { replicas: 1, template: bare([postgresContainer(instance)], { fsGroup: 999 }), reads: null },
    metadata: {
      replicas: metadata.replicas,
      template: mergeTemplates(
        bare([metadataContainer(instance, database)], { fsGroup: 3473 }),
        "metadata",
        metadata.template,
      ),
      reads: database,
    },
    gateway: {
      replicas: gateway.replicas,
      template: mergeTemplates(
        withVolume(bare([gatewayContainer(instance)], { fsGroup: 101 }, 15), {
          name: "gateway-config",
          configMap: { name: instanceNames(instance.metadata.name).gatewayConfig },
        }),
        "envoy",
        gateway.template,
      ),
      reads: gatewayConfig(instance),
    },
  };
}

type Database = { host: string; port: number; database: string; schema: string; secret: string };

function databaseOf({ metadata: { name, namespace }, spec }: Instance): Database {
  const names = instanceNames(name);
  const external = spec.metadata.postgres;
  if (external) {
    const { host, port, database, schema, credentialsSecretRef } = external;
    return { host, port, database, schema, secret: credentialsSecretRef.name };
  }
  const host = `${names.postgres}.${namespace}.svc.cluster.local`;
  return { host, port: 5432, database: "firebolt", schema: "public", secret: names.credentials };
}

function postgresContainer(instance: Instance): Container {
  const { credentials } = instanceNames(instance.metadata.name);
  return {
    name: "postgres",
    image: "postgres:16",
    ports: [{ name: "postgres", containerPort: 5432, protocol: "TCP" }],
    env: [
      fromSecret("POSTGRES_USER", credentials, "username"),
      fromSecret("POSTGRES_PASSWORD", credentials, "password"),
      { name: "POSTGRES_DB", value: "firebolt" },
      { name: "PGDATA", value: "/var/lib/postgresql/data/pgdata" },
    ],
    readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 3 },
    volumeMounts: [{ name: "data", mountPath: "/var/lib/postgresql/data" }],
  };
}

function metadataContainer(instance: Instance, { host, port, database, schema, secret }: Database): Container {
  return {
    name: "metadata",
    image: "ghcr.io/firebolt-db/metadata:latest",
    ports: [{ name: "metadata", containerPort: 7000, protocol: "TCP" }],
    env: [
      { name: "ACCOUNT_ID", value: instance.spec.id ?? "" },
      { name: "POSTGRES_HOST", value: host },
      { name: "POSTGRES_PORT", value: String(port) },
      { name: "POSTGRES_DATABASE", value: database },
      { name: "POSTGRES_SCHEMA", value: schema },
      fromSecret("POSTGRES_USER", secret, "username"),
      fromSecret("POSTGRES_PASSWORD", secret, "password"),
    ],
    readinessProbe: { tcpSocket: { port: 7000 }, periodSeconds: 3 },
  };
}

function gatewayContainer(instance: Instance): Container {
  return {
    name: "envoy",
    image: "envoyproxy/envoy:v1.31.5",
    args: ["-c", "/etc/envoy/envoy.yaml"],
    ports: [
      { name: "gateway", containerPort: 8080, protocol: "TCP" },
      { name: "metrics", containerPort: instance.spec.gateway.metricsPort, protocol: "TCP" },
    ],
    readinessProbe: { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 3 },
    volumeMounts: [{ name: "gateway-config", mountPath: "/etc/envoy", readOnly: true }],
  };
}

function fromSecret(name: string, secret: string, key: string) {
  return { name, valueFrom: { secretKeyRef: { name: secret, key } } };
}

function bare(containers: Container[], securityContext: Record<string, unknown>, graceSeconds = 30): MergedTemplate {
  return {
    metadata: { labels: {}, annotations: {} },
    spec: { terminationGracePeriodSeconds: graceSeconds, enableServiceLinks: false, securityContext, containers },
  };
}

function withVolume(template: MergedTemplate, volume: { name: string; configMap: { name: string } }): MergedTemplate {
  return { ...template, spec: { ...template.spec, volumes: [volume] } };
}
