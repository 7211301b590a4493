import { type ResourceBounds } from "@/server/firebolt/resource-bounds";
import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock, type Timer } from "@/server/kubernetes/clock";
import { isNotFound } from "@/server/kubernetes/errors";
import { type Log } from "@/server/observability/log";
import { servingCertificate } from "./serving-certificate";
import {
  hostsOf,
  webhookConfiguration,
  webhookConfigurationApi,
  webhookName,
  type WebhookPlace,
} from "./webhook-configuration";
import { createWebhookServer } from "./webhook-server";

export type AdmissionOptions = {
  client: KubernetesClient;
  clock: Clock;
  log: Log;
  bounds: ResourceBounds;
  /** Where the certificate's Secret is kept, and our Service when no address is named. */
  namespace: string;
  host: string;
  port: number;
  /** The address at which the API server reaches us; `{port}` in it is the port that we got. */
  url?: string;
};

export type Admission = { port: number; checkCertificate(): Promise<void>; stop(): Promise<void> };

export const serviceName = "orrery-webhook";
const checkEveryMs = 12 * 3_600_000;
const retryMs = 60_000;

/** The validating webhook: served over TLS, its certificate made, renewed and published by ourselves. */
export async function startAdmission(options: AdmissionOptions): Promise<Admission> {
  const { client, clock, log, namespace, bounds } = options;
  const wanted: WebhookPlace = options.url ? { url: options.url } : { namespace, service: serviceName };
  const deps = { client, namespace, hosts: hostsOf(wanted) };
  let serving = await servingCertificate(deps, clock.now());
  const { certificate } = serving;
  const server = await createWebhookServer(
    { client, bounds, log },
    { host: options.host, port: options.port, certificate },
  );
  const place: WebhookPlace = options.url ? { url: options.url.replace("{port}", String(server.port)) } : wanted;
  let timer: Timer | null = null;
  let stopped = false;

  const publish = async () => {
    const object = webhookConfiguration(place, serving.authorities);
    await client.patch(webhookConfigurationApi, object.metadata, object, {
      type: "apply",
      fieldManager: "orrery",
      force: true,
    });
  };
  const checkCertificate = async () => {
    const next = await servingCertificate(deps, clock.now());
    const changed = next.certificate.cert !== serving.certificate.cert;
    serving = next;
    // Trusted first, served then: a call in between finds a certificate that it knows.
    await publish();
    if (changed) server.renew(next.certificate);
  };
  const schedule = (ms: number) => {
    if (stopped) return;
    timer = clock.setTimeout(() => {
      checkCertificate().then(
        () => schedule(checkEveryMs),
        (error: unknown) => {
          log.warn("the webhook's certificate could not be checked", { error });
          schedule(retryMs);
        },
      );
    }, ms);
  };

  await publish();
  schedule(checkEveryMs);
  return {
    port: server.port,
    checkCertificate,
    async stop() {
      stopped = true;
      timer?.cancel();
      // An address is this process's own: left published, it would refuse every write while we are away.
      if ("url" in place) await unpublish(client);
      await server.stop();
    },
  };
}

async function unpublish(client: KubernetesClient): Promise<void> {
  try {
    await client.delete(webhookConfigurationApi, { name: webhookName });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
