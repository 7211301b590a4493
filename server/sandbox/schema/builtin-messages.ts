import { parseTable, type Message } from "@/server/sandbox/schema/parse-table";
import { admissionregistrationTable } from "@/server/sandbox/schema/tables/admissionregistration";
import { apiextensionsTable } from "@/server/sandbox/schema/tables/apiextensions";
import { appsTable } from "@/server/sandbox/schema/tables/apps";
import { authenticationTable } from "@/server/sandbox/schema/tables/authentication";
import { authorizationTable } from "@/server/sandbox/schema/tables/authorization";
import { autoscalingTable } from "@/server/sandbox/schema/tables/autoscaling";
import { batchTable } from "@/server/sandbox/schema/tables/batch";
import { coordinationTable } from "@/server/sandbox/schema/tables/coordination";
import { coreTable } from "@/server/sandbox/schema/tables/core";
import { discoveryTable } from "@/server/sandbox/schema/tables/discovery";
import { eventsTable } from "@/server/sandbox/schema/tables/events";
import { metaTable } from "@/server/sandbox/schema/tables/meta";
import { networkingTable } from "@/server/sandbox/schema/tables/networking";
import { policyTable } from "@/server/sandbox/schema/tables/policy";
import { rbacTable } from "@/server/sandbox/schema/tables/rbac";
import { scaleTable } from "@/server/sandbox/schema/tables/scale";
import { schedulingTable } from "@/server/sandbox/schema/tables/scheduling";
import { storageTable } from "@/server/sandbox/schema/tables/storage";

/** The message of a kind or of a part of one; the address is `core.Pod`. Undefined for what the tables do not hold. */
export function messageAt(address: string): Message | undefined {
  const dot = address.indexOf(".");
  const table = address.slice(0, dot);
  return parsed(table).get(address.slice(dot + 1));
}

/** The address of a type that stands in a message of `table`. */
export function addressOf(table: string, type: string): string {
  return type.includes(".") ? type : `${table}.${type}`;
}

/** Which table the kinds of a group version are in. */
export function tableOf(group: string, version: string): string | undefined {
  return tablesOfVersions[group === "" ? version : `${group}/${version}`];
}

/** The name that Kubernetes gives a message in its OpenAPI documents. */
export function definitionName(address: string): string {
  const dot = address.indexOf(".");
  return `${definitionPrefixes[address.slice(0, dot)] ?? "io.orrery"}.${address.slice(dot + 1)}`;
}

const tables: Readonly<Record<string, string>> = {
  admissionregistration: admissionregistrationTable,
  apiextensions: apiextensionsTable,
  apps: appsTable,
  authentication: authenticationTable,
  authorization: authorizationTable,
  autoscaling: autoscalingTable,
  autoscalingv1: scaleTable,
  batch: batchTable,
  coordination: coordinationTable,
  core: coreTable,
  discovery: discoveryTable,
  events: eventsTable,
  meta: metaTable,
  networking: networkingTable,
  policy: policyTable,
  rbac: rbacTable,
  scheduling: schedulingTable,
  storage: storageTable,
};

const tablesOfVersions: Readonly<Record<string, string>> = {
  v1: "core",
  "apps/v1": "apps",
  "batch/v1": "batch",
  "autoscaling/v1": "autoscalingv1",
  "autoscaling/v2": "autoscaling",
  "policy/v1": "policy",
  "rbac.authorization.k8s.io/v1": "rbac",
  "coordination.k8s.io/v1": "coordination",
  "events.k8s.io/v1": "events",
  "discovery.k8s.io/v1": "discovery",
  "scheduling.k8s.io/v1": "scheduling",
  "storage.k8s.io/v1": "storage",
  "networking.k8s.io/v1": "networking",
  "authentication.k8s.io/v1": "authentication",
  "authorization.k8s.io/v1": "authorization",
  "admissionregistration.k8s.io/v1": "admissionregistration",
  "apiextensions.k8s.io/v1": "apiextensions",
};

const definitionPrefixes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(tables).map((table) => [table, `io.k8s.api.${table}.v1`])),
  autoscaling: "io.k8s.api.autoscaling.v2",
  autoscalingv1: "io.k8s.api.autoscaling.v1",
  meta: "io.k8s.apimachinery.pkg.apis.meta.v1",
  apiextensions: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
};

const parsedTables = new Map<string, Map<string, Message>>();

/** A table is read when it is first asked for: most runs touch few of them. */
function parsed(table: string): Map<string, Message> {
  const known = parsedTables.get(table);
  if (known) return known;
  const messages = new Map(parseTable(tables[table] ?? "").map((message) => [message.name, message]));
  parsedTables.set(table, messages);
  return messages;
}
