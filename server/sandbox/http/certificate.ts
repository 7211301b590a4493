import { type Certificate, selfSignedCertificate } from "@/server/tls/self-signed-certificate";

export { type Certificate };

const YEARS_10_MS = 10 * 365 * 24 * 3_600_000;

/** The certificate of the sandbox's own port. */
export function makeCertificate(now = Date.now()): Certificate {
  const hosts = ["localhost", "127.0.0.1", "::1"];
  return selfSignedCertificate({ commonName: "orrery-sandbox", hosts, now, validMs: YEARS_10_MS });
}
