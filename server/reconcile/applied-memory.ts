import { createHash } from "node:crypto";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { isRecord } from "./merge-patch";

/** Carries the hash of what was last applied, so that a restart, or a field that is no longer set, is noticed without a request. */
const APPLIED_ANNOTATION = "orrery.dev/applied";

/** Knows whether an apply would change anything. */
export type AppliedMemory = {
  /** Whether the cached object has all of `body` (as `bodyOf` made it), and nothing that an earlier body set besides. */
  holds(body: KubernetesObject, cached: KubernetesObject): boolean;
  /** The server's answer to an apply: where it words a value its own way ("1000m" as "1"), that wording is learnt. */
  learn(body: KubernetesObject, answer: KubernetesObject): void;
  forget(uid: string): void;
};

export function createAppliedMemory(): AppliedMemory {
  /** By uid: the hash of the body, and how the server words its fields. Only where the wording differs. */
  const wordings = new Map<string, { hash: string; wording: string }>();

  return {
    holds(body, cached) {
      const hash = body.metadata.annotations?.[APPLIED_ANNOTATION];
      if (hash === undefined || cached.metadata.annotations?.[APPLIED_ANNOTATION] !== hash) return false;
      if (isPart(body, cached)) return true;
      const known = wordings.get(cached.metadata.uid ?? "");
      return known?.hash === hash && known.wording === wordingOf(body, cached);
    },
    learn(body, answer) {
      const { uid } = answer.metadata;
      if (uid === undefined) return;
      if (isPart(body, answer)) wordings.delete(uid);
      else {
        const hash = body.metadata.annotations?.[APPLIED_ANNOTATION] ?? "";
        wordings.set(uid, { hash, wording: wordingOf(body, answer) });
      }
    },
    forget: (uid) => void wordings.delete(uid),
  };
}

/** What is sent for an `ensure`: the object as it was computed, with the hash of itself. */
export function bodyOf(object: KubernetesObject): KubernetesObject {
  const hash = createHash("sha256").update(JSON.stringify(object)).digest("base64url").slice(0, 22);
  const annotations = { ...object.metadata.annotations, [APPLIED_ANNOTATION]: hash };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/**
 * Whether everything in `wanted` is in `present`. The server adds defaults and other writers add fields and list items
 * of their own (a sidecar), so more is fine; in a list without names only as many items as wanted are.
 */
function isPart(wanted: unknown, present: unknown): boolean {
  if (wanted === undefined || wanted === null) return true;
  if (Array.isArray(wanted)) return Array.isArray(present) && isPartOfList(wanted, present);
  if (!isRecord(wanted)) return wanted === present;
  if (!isRecord(present)) return false;
  for (const key of Object.keys(wanted)) if (!isPart(wanted[key], present[key])) return false;
  return true;
}

function isPartOfList(wanted: unknown[], present: unknown[]): boolean {
  if (wanted.length === present.length && wanted.every((item, index) => isPart(item, present[index]))) return true;
  if (!wanted.every((item) => isRecord(item) && ("name" in item || "uid" in item))) return false;
  return wanted.every((item) => present.some((other) => isPart(item, other)));
}

/** The fields of `wanted` with the values that `present` has for them. */
function wordingOf(wanted: unknown, present: unknown): string {
  return JSON.stringify([valuesAt(wanted, present)]);
}

function valuesAt(wanted: unknown, present: unknown): unknown {
  if (Array.isArray(wanted) && Array.isArray(present)) {
    return present.map((item, index) => valuesAt(wanted[index] ?? wanted.at(-1), item));
  }
  if (!isRecord(wanted) || !isRecord(present)) return present;
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, valuesAt(wanted[key], present[key])]));
}
