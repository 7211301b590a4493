import { type KubernetesObject } from "@/server/kubernetes/object";
import { isRecord, listOf, recordOf, textOf, without } from "@/server/sandbox/json";
import { type ResourceType } from "@/server/sandbox/type-registry";

/** Where autoscaling/v1 keeps what it has no field for. */
const METRICS = "autoscaling.alpha.kubernetes.io/metrics";
const PERCENTAGE = "targetCPUUtilizationPercentage";

/** Autoscalers are stored as autoscaling/v2 has them; v1 knows one number instead of a list of metrics. */
export const autoscalerConversion: NonNullable<ResourceType["conversion"]> = {
  fromStored(object) {
    const metrics = listOf(object.spec?.["metrics"]);
    const percentage = metrics.map(cpuPercentage).find((value) => value !== undefined);
    const others = metrics.filter((metric) => cpuPercentage(metric) === undefined);
    const annotations: Record<string, string> = others.length === 0 ? {} : { [METRICS]: JSON.stringify(others) };
    return {
      ...withAnnotations(object, { ...object.metadata.annotations, ...annotations }),
      spec: { ...without(recordOf(object.spec), "metrics"), ...(percentage ? { [PERCENTAGE]: percentage } : {}) },
    };
  },
  toStored(object) {
    const annotations = recordOf(object.metadata.annotations);
    const percentage = object.spec?.[PERCENTAGE];
    const metrics = [...(percentage === undefined ? [] : [cpuMetric(percentage)]), ...metricsIn(annotations[METRICS])];
    return {
      ...withAnnotations(object, without(object.metadata.annotations ?? {}, METRICS)),
      spec: { ...without(recordOf(object.spec), PERCENTAGE), ...(metrics.length > 0 ? { metrics } : {}) },
    };
  },
};

export function cpuMetric(averageUtilization: unknown) {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

function cpuPercentage(metric: unknown): unknown {
  const { name, target } = recordOf(recordOf(metric)["resource"]);
  return name === "cpu" ? recordOf(target)["averageUtilization"] : undefined;
}

function metricsIn(annotation: unknown): unknown[] {
  try {
    return listOf(JSON.parse(textOf(annotation) || "[]")).filter(isRecord);
  } catch {
    return [];
  }
}

function withAnnotations(object: KubernetesObject, annotations: Record<string, string>): KubernetesObject {
  const metadata = without(object.metadata, "annotations");
  return { ...object, metadata: Object.keys(annotations).length > 0 ? { ...metadata, annotations } : metadata };
}
