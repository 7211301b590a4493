import { type KubernetesObject } from "@/server/kubernetes/object";
import { warningsAbout } from "./warnings-about";
import { type World } from "./world";

export type Warning = { reason: string; message: string; count: number; lastSeen: string; sentence: string };

/**
 * The newest Warning event about an object, asked for live: events are many, and only what is stuck needs one.
 * Best effort: null also when they cannot be read, because a diagnosis must never fail a pass.
 */
export async function latestWarning(
  world: World,
  object: KubernetesObject,
  onError: (error: unknown) => void = () => undefined,
): Promise<Warning | null> {
  const { uid, name } = object.metadata;
  if (!uid) return null;
  const events = await warningsAbout(world.live, object).catch((error: unknown) => {
    onError(error);
    return [];
  });
  const [newest] = events.map((event) => warningOf(event, `${object.kind} ${name}`)).sort(newestFirst);
  return newest ?? null;
}

function warningOf(event: KubernetesObject, about: string): Warning {
  const message = textOf(event.message).trim();
  const series = event.series as { count?: unknown; lastObservedTime?: unknown } | undefined;
  const count = numberOf(series?.count) ?? numberOf(event.count) ?? 1;
  return {
    // A condition's reason must be one word; an event's need not be.
    reason: reasonPattern.test(textOf(event.reason)) ? textOf(event.reason) : `${about.split(" ")[0] ?? ""}Warning`,
    message,
    count,
    lastSeen:
      [series?.lastObservedTime, event.lastTimestamp, event.eventTime, event.metadata.creationTimestamp]
        .map(textOf)
        .find(Boolean) ?? "",
    sentence: `${about}: ${message} (x${count})`,
  };
}

const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

function newestFirst(a: Warning, b: Warning): number {
  return Date.parse(b.lastSeen || "1970") - Date.parse(a.lastSeen || "1970");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}
