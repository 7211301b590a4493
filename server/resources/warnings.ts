import { z } from "zod";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { warningsAbout } from "@/server/reconcile/warnings-about";
import type { World } from "@/server/reconcile/world";
import { utc } from "./lifecycle-states";

/** A warning event, of whichever of the two event APIs wrote it. */
export type Warning = {
  id: string;
  uid: string;
  reason: string;
  message: string;
  count: number;
  firstSeen: string;
  lastSeen: string;
  source: string;
};

/** The warnings of one object that the API server still has, newest first; the very question that a reconciler asks. */
export async function warningsOf(object: KubernetesObject, world: World): Promise<Warning[]> {
  const events = await warningsAbout(world.live, object);
  return events.flatMap((event) => warningOf(event) ?? []).sort((a, b) => (a.lastSeen < b.lastSeen ? 1 : -1));
}

const eventSchema = z.object({
  type: z.literal("Warning"),
  metadata: z.object({ uid: z.string(), creationTimestamp: z.string().nullish() }),
  involvedObject: z.object({ uid: z.string().default("") }),
  reason: z.string().default(""),
  message: z.string().default(""),
  count: z.number().nullish(),
  firstTimestamp: z.string().nullish(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
  series: z.object({ count: z.number(), lastObservedTime: z.string() }).nullish(),
  source: z.object({ component: z.string().default("") }).nullish(),
  reportingComponent: z.string().nullish(),
});

export function warningOf(event: KubernetesObject): Warning | null {
  const parsed = eventSchema.safeParse(event);
  if (!parsed.success) return null;
  const { metadata, involvedObject, reason, message, count, series, source, reportingComponent, ...times } =
    parsed.data;
  const firstSeen = utc(times.firstTimestamp) ?? utc(times.eventTime) ?? utc(metadata.creationTimestamp) ?? "";
  return {
    id: metadata.uid,
    uid: involvedObject.uid,
    reason,
    message,
    count: series?.count ?? count ?? 1,
    firstSeen,
    lastSeen: utc(series?.lastObservedTime) ?? utc(times.lastTimestamp) ?? firstSeen,
    source: source?.component || reportingComponent || "",
  };
}
