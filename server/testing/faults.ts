/** What may befall one write on its way. */
export const writeFaults = [
  "crashBeforeSending",
  "crashAfterApplied",
  "crashBeforeStatus",
  "conflict409",
  "throttled429",
  "internal500",
  "unavailable503",
  "timeout504AfterApplied",
  "noAnswer",
  "connectionReset",
] as const;
export type WriteFault = (typeof writeFaults)[number];

/** What may befall one event of a watch on its way. */
export const watchFaults = [
  "cut",
  "stall",
  "duplicate",
  "dropUntilReconnect",
  "gone410AsStatus",
  "gone410AsEvent",
  "garbage",
  "hugeLine",
  "oldView",
] as const;
export type WatchFault = (typeof watchFaults)[number];

/** One fault at one place of a run: the n-th write that the worker sends, or the n-th event that it is sent. */
export type FaultPlan =
  { at: "write"; number: number; fault: WriteFault } | { at: "event"; number: number; fault: WatchFault };

/** As printed and as given back to replay: "write 7 crashAfterApplied". */
export function seedOf(plan: FaultPlan): string {
  return `${plan.at} ${plan.number} ${plan.fault}`;
}

export function plansFor(counts: { writes: number; events: number }): FaultPlan[] {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  return [
    ...numbers(counts.writes).flatMap((number) =>
      writeFaults.map((fault) => ({ at: "write" as const, number, fault })),
    ),
    ...numbers(counts.events).flatMap((number) =>
      watchFaults.map((fault) => ({ at: "event" as const, number, fault })),
    ),
  ];
}

/** Evenly spread over places and faults, the same for the same size. */
export function sampleOf(plans: readonly FaultPlan[], size: number): FaultPlan[] {
  if (size >= plans.length) return [...plans];
  return Array.from({ length: size }, (_, turn) => plans[Math.floor((turn * plans.length) / size)]).filter(
    (plan) => plan !== undefined,
  );
}
