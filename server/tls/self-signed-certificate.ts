import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

export type Certificate = { key: string; cert: string };

const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];
const SUBJECT_ALTERNATIVE_NAME = [0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13];

/** Whom a certificate is for: DNS names and IPv4 addresses. */
export type CertificateRequest = { commonName: string; hosts: readonly string[]; now: number; validMs: number };

/** A self-signed certificate, its own authority. Written out in DER: a library costs more to load than this to run. */
export function selfSignedCertificate({ commonName, hosts, now, validMs }: CertificateRequest): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const name = sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from(commonName)))));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(now - 24 * 3_600_000), time(now + validMs)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      0xa3,
      sequence(
        extension(BASIC_CONSTRAINTS, sequence(der(0x01, Buffer.from([0xff])))),
        extension(SUBJECT_ALTERNATIVE_NAME, sequence(...hosts.map(hostOf))),
      ),
    ),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), cert: pemOf(certificate) };
}

/** An address by its bytes, anything else as a DNS name. */
function hostOf(host: string): Buffer {
  if (host === "::1") return der(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])]));
  if (isIPv4(host)) return der(0x87, Buffer.from(host.split(".").map(Number)));
  return der(0x82, Buffer.from(host));
}

function extension(id: readonly number[], value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value));
}

/** GeneralizedTime: 20260101000000Z. */
function time(ms: number): Buffer {
  return der(0x18, Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14)}Z`));
}

function oid(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  return length < 0x100 ? Buffer.from([0x81, length]) : Buffer.from([0x82, length >> 8, length & 0xff]);
}

function pemOf(bytes: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}
