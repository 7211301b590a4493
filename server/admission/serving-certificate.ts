import { X509Certificate } from "node:crypto";
import { apis } from "@/server/kubernetes/apis";
import { type KubernetesClient } from "@/server/kubernetes/client";
import { isAlreadyExists, isConflict, isNotFound } from "@/server/kubernetes/errors";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { redactError } from "@/server/reconcile/redact";
import { type Certificate, selfSignedCertificate } from "@/server/tls/self-signed-certificate";

/** What we serve with, and everything that a client may still meet: the last certificate stays good for a while. */
export type Serving = { certificate: Certificate; authorities: string[] };

const dayMs = 24 * 3_600_000;
const validMs = 90 * dayMs;
const renewBeforeMs = 30 * dayMs;
const secretName = "orrery-webhook-tls";

export type ServingDeps = { client: KubernetesClient; namespace: string; hosts: readonly string[] };

/**
 * The certificate that all our processes share, from its Secret; made where there is none, renewed before it ends or
 * when the hosts are others. Who loses the race for the Secret takes the winner's.
 */
export async function servingCertificate(deps: ServingDeps, now: number): Promise<Serving> {
  for (let turn = 0; turn < 3; turn++) {
    const secret = await readSecret(deps);
    const current = secret && certificateIn(secret);
    if (current && isGood(current, deps.hosts, now))
      return { certificate: current, authorities: authoritiesIn(secret) };
    const made = selfSignedCertificate({ commonName: "orrery-webhook", hosts: deps.hosts, now, validMs });
    const authorities = [made.cert, ...(current ? [current.cert] : [])];
    if (await writeSecret(deps, secret, made, authorities)) return { certificate: made, authorities };
  }
  throw new Error(`Secret ${deps.namespace}/${secretName} keeps being written by others`);
}

function isGood({ cert }: Certificate, hosts: readonly string[], now: number): boolean {
  const parsed = new X509Certificate(cert);
  const covers = hosts.every((host) => parsed.checkHost(host) !== undefined || parsed.checkIP(host) !== undefined);
  return covers && Date.parse(parsed.validTo) - now > renewBeforeMs && Date.parse(parsed.validFrom) <= now;
}

async function readSecret({ client, namespace }: ServingDeps): Promise<KubernetesObject | null> {
  try {
    return await client.get(apis.secret, { namespace, name: secretName });
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

function certificateIn(secret: KubernetesObject): Certificate | null {
  const [cert, key] = [textIn(secret, "tls.crt"), textIn(secret, "tls.key")];
  return cert && key ? { cert, key } : null;
}

function authoritiesIn(secret: KubernetesObject): string[] {
  const end = "-----END CERTIFICATE-----\n";
  const parts = textIn(secret, "ca.crt").split(end).filter(Boolean);
  return parts.length > 0 ? parts.map((part) => part + end) : [textIn(secret, "tls.crt")];
}

function textIn({ data }: KubernetesObject, key: string): string {
  const value = (data as Record<string, string> | undefined)?.[key];
  return value === undefined ? "" : Buffer.from(value, "base64").toString();
}

async function writeSecret(
  { client, namespace }: ServingDeps,
  old: KubernetesObject | null,
  { cert, key }: Certificate,
  authorities: readonly string[],
): Promise<boolean> {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const secret: KubernetesObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName, namespace, resourceVersion: old?.metadata.resourceVersion },
    type: "kubernetes.io/tls",
    data: { "tls.crt": base64(cert), "tls.key": base64(key), "ca.crt": base64(authorities.join("")) },
  };
  try {
    await (old ? client.replace(apis.secret, secret) : client.create(apis.secret, secret));
    return true;
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error)) return false;
    throw redactError(error, secret, `${namespace}/${secretName}`);
  }
}
