import { feldera } from "@/machines/feldera/family";
import { firebolt } from "@/machines/firebolt/family";
import { type Api, type KubernetesObject } from "@/server/kubernetes/object";

export const webhookConfigurationApi: Api = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  plural: "validatingwebhookconfigurations",
  kind: "ValidatingWebhookConfiguration",
  namespaced: false,
};

export const webhookName = "orrery-admission";
export const webhookPath = "/validate";

/** Where the API server finds us: an address, or the Service in front of our pods. */
export type WebhookPlace = { url: string } | { namespace: string; service: string };

/** What the API server asks us about, where, and whom it believes: the authorities, newest first. */
export function webhookConfiguration(place: WebhookPlace, authorities: readonly string[]): KubernetesObject {
  const { engine, engineClass } = firebolt.kinds;
  const caBundle = Buffer.from(authorities.join("")).toString("base64");
  const webhook = (name: string, rules: readonly unknown[]) => ({
    name,
    admissionReviewVersions: ["v1"],
    clientConfig: { caBundle, ...clientConfigOf(place) },
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    sideEffects: "None",
    timeoutSeconds: 10,
    rules,
  });
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: webhookName },
    webhooks: [
      webhook("firebolt.orrery.dev", [
        ruleFor(engine.api, ["CREATE", "UPDATE"]),
        ruleFor(engineClass.api, ["CREATE", "UPDATE", "DELETE"]),
      ]),
      webhook("feldera.orrery.dev", [ruleFor(feldera.kinds.pipeline.api, ["CREATE", "UPDATE", "DELETE"])]),
    ],
  };
}

function ruleFor({ group, version, plural }: Api, operations: readonly string[]) {
  return { apiGroups: [group], apiVersions: [version], resources: [plural], operations, scope: "Namespaced" };
}

function clientConfigOf(place: WebhookPlace) {
  if ("url" in place) return { url: new URL(webhookPath, place.url).href };
  return { service: { namespace: place.namespace, name: place.service, path: webhookPath, port: 443 } };
}

/** The names that our certificate must be good for. */
export function hostsOf(place: WebhookPlace): string[] {
  // The port may still be open; names have nothing to do with it.
  if ("url" in place) return [new URL(place.url.replace("{port}", "0")).hostname.replace(/^\[|\]$/g, "")];
  return [`${place.service}.${place.namespace}.svc`, `${place.service}.${place.namespace}.svc.cluster.local`];
}
