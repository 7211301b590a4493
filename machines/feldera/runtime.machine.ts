import { setup } from "xstate";
import type { LifecycleMeta, StateMeta } from "../lifecycle";

export const runtimeStatuses = [
  "Unavailable",
  "Standby",
  "Initializing",
  "Bootstrapping",
  "Replaying",
  "Paused",
  "Running",
  "Suspended",
] as const;
export type RuntimeStatus = (typeof runtimeStatuses)[number];

export const runtimeDesiredStatuses = ["Unavailable", "Standby", "Paused", "Running", "Suspended"] as const;
export type RuntimeDesiredStatus = (typeof runtimeDesiredStatuses)[number];

export type RuntimeFacts = {
  /** What the process says of itself; Absent while there is none to ask. */
  reported: RuntimeStatus | "Absent";
  /** What the process says it is heading for. */
  heading: RuntimeDesiredStatus;
  /** A request of a user that the process has not taken in yet. */
  asked: "nothing" | "pause" | "resume" | "activate" | "suspend";
};

const meta: LifecycleMeta = {
  title: "Runtime",
  description:
    "What the pipeline process says it is doing. It exists only while resources are provisioned; Unavailable means that it could not be asked, never that it has to stop. A status that is not among these, such as that of a newer process which waits for somebody's approval, is Unavailable too.",
  settled: ["Absent", "Running", "Paused", "Standby", "Suspended"],
  facts: {
    reported: ["Absent", ...runtimeStatuses],
    heading: runtimeDesiredStatuses,
    asked: ["nothing", "pause", "resume", "activate", "suspend"],
  },
  guards: {
    gone: { yes: "there is no process", no: "there is a process" },
    isUnavailable: { yes: "the process does not answer", no: "the process answers" },
    isStandby: { yes: "the process says Standby", no: "the process does not say Standby" },
    isInitializing: { yes: "the process says Initializing", no: "the process does not say Initializing" },
    isBootstrapping: { yes: "the process says Bootstrapping", no: "the process does not say Bootstrapping" },
    isReplaying: { yes: "the process says Replaying", no: "the process does not say Replaying" },
    isPaused: { yes: "the process says Paused", no: "the process does not say Paused" },
    isRunning: { yes: "the process says Running", no: "the process does not say Running" },
    isSuspended: { yes: "the process says Suspended", no: "the process does not say Suspended" },
    asked: { yes: "a request waits to be passed on", no: "no request waits to be passed on" },
    mayTurn: {
      yes: "it is meant to be Paused or Running",
      no: "it can be paused and resumed only once it is meant to be Paused or Running",
    },
    mayActivate: { yes: "it may be activated", no: "it cannot leave Suspended but by stop and start" },
  },
  actions: {
    passOn: "pass the request on to the process",
    askPause: "ask the process to pause",
    askResume: "ask the process to run",
    askActivate: "ask the process to leave Standby",
  },
  repeats: ["passOn"],
  commands: {
    pause: { title: "Pause", summary: "Stop taking input; what is computed stays" },
    resume: { title: "Resume", summary: "Take input again" },
    activate: {
      title: "Activate",
      summary: "Leave Standby",
      args: { initial: { type: "string", title: "Become", options: ["running", "paused"], default: "running" } },
    },
  },
};

const gone = { guard: "gone", target: "Absent" } as const;
const unavailable = { guard: "isUnavailable", target: "Unavailable" } as const;
const standby = { guard: "isStandby", target: "Standby" } as const;
const initializing = { guard: "isInitializing", target: "Initializing" } as const;
const bootstrapping = { guard: "isBootstrapping", target: "Bootstrapping" } as const;
const replaying = { guard: "isReplaying", target: "Replaying" } as const;
const paused = { guard: "isPaused", target: "Paused" } as const;
const running = { guard: "isRunning", target: "Running" } as const;
const suspended = { guard: "isSuspended", target: "Suspended" } as const;
const passOn = { guard: "asked", actions: ["passOn"] } as const;

const requests = {
  pause: [{ guard: "mayTurn", actions: ["askPause"] }],
  resume: [{ guard: "mayTurn", actions: ["askResume"] }],
  activate: [{ guard: "mayActivate", actions: ["askActivate"] }],
} as const;

/**
 * Absent ─▶ Initializing ─▶ [Standby] ─▶ [Bootstrapping] ─▶ [Replaying] ─▶ Paused ⇄ Running ─▶ Suspended ─▶ Absent,
 * and from each to Unavailable and back. A process that restarts begins again at Initializing.
 */
export const runtimeMachine = setup({
  types: {
    // XState reads its types from values that are never looked at.
    context: {} as RuntimeFacts,
    events: {} as { type: "observed" | "pause" | "resume" | "activate" },
  },
  guards: {
    gone: ({ context }) => context.reported === "Absent",
    isUnavailable: ({ context }) => context.reported === "Unavailable",
    isStandby: ({ context }) => context.reported === "Standby",
    isInitializing: ({ context }) => context.reported === "Initializing",
    isBootstrapping: ({ context }) => context.reported === "Bootstrapping",
    isReplaying: ({ context }) => context.reported === "Replaying",
    isPaused: ({ context }) => context.reported === "Paused",
    isRunning: ({ context }) => context.reported === "Running",
    isSuspended: ({ context }) => context.reported === "Suspended",
    asked: ({ context }) => context.asked !== "nothing",
    mayTurn: ({ context }) => context.heading === "Paused" || context.heading === "Running",
    mayActivate: ({ context }) =>
      context.heading === "Standby" || context.heading === "Paused" || context.heading === "Running",
  },
  actions: {
    passOn: () => undefined,
    askPause: () => undefined,
    askResume: () => undefined,
    askActivate: () => undefined,
  },
}).createMachine({
  id: "feldera.pipeline.runtime",
  meta,
  context: { reported: "Absent", heading: "Unavailable", asked: "nothing" },
  initial: "Absent",
  states: {
    Absent: {
      meta: { tone: "idle", summary: "There is no process" } satisfies StateMeta,
      // A process may have come further than its first words by the time it is asked.
      on: {
        observed: [initializing, unavailable, standby, bootstrapping, replaying, paused, running, suspended],
      },
    },
    Unavailable: {
      meta: { tone: "warn", summary: "The process does not answer" } satisfies StateMeta,
      on: {
        observed: [gone, initializing, standby, bootstrapping, replaying, paused, running, suspended],
      },
    },
    Standby: {
      meta: { tone: "idle", summary: "Follows the latest checkpoint, takes no input" } satisfies StateMeta,
      on: {
        observed: [gone, unavailable, initializing, bootstrapping, replaying, paused, running, suspended, passOn],
        ...requests,
      },
    },
    Initializing: {
      meta: { tone: "busy", summary: "Connecting to sources and sinks" } satisfies StateMeta,
      on: {
        observed: [gone, unavailable, standby, bootstrapping, replaying, paused, running, suspended, passOn],
        ...requests,
      },
    },
    Bootstrapping: {
      meta: { tone: "busy", summary: "Computing the views that were changed" } satisfies StateMeta,
      on: {
        observed: [gone, unavailable, initializing, replaying, paused, running, suspended, passOn],
        ...requests,
      },
    },
    Replaying: {
      meta: { tone: "busy", summary: "Processing what its journal still holds" } satisfies StateMeta,
      on: {
        observed: [gone, unavailable, initializing, paused, running, suspended, passOn],
        ...requests,
      },
    },
    Paused: {
      meta: { tone: "idle", summary: "Takes no input" } satisfies StateMeta,
      on: {
        observed: [gone, unavailable, initializing, bootstrapping, replaying, running, suspended, passOn],
        ...requests,
      },
    },
    Running: {
      meta: { tone: "good", summary: "Takes input and computes" } satisfies StateMeta,
      on: {
        observed: [gone, unavailable, initializing, bootstrapping, replaying, paused, suspended, passOn],
        ...requests,
      },
    },
    Suspended: {
      meta: { tone: "idle", summary: "Ended with a last checkpoint; it is stopped next" } satisfies StateMeta,
      on: {
        // A new process at the same place can only mean that the suspended one is gone.
        observed: [gone, unavailable, initializing],
      },
    },
  },
});
