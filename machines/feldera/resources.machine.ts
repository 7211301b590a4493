import { and, not, setup } from "xstate";
import type { LifecycleMeta, StateMeta } from "../lifecycle";

export type ResourcesFacts = {
  /** What was last asked for and not undone by an error since. */
  desired: "Stopped" | "Provisioned";
  program: "compiling" | "compiled" | "failed";
  /** Whether its configuration is one that a process can be given. */
  configFits: boolean;
  clearing: boolean;
  /** StatefulSet, Service, ConfigMap and claim, taken together. */
  compute: "absent" | "coming" | "ready" | "failed";
  timedOut: boolean;
  process: "fine" | "failed" | "suspended";
  errorKept: boolean;
  /** Whether a start asks for the same initial status as the one under way. */
  initialFits: boolean;
  /** Whether Standby is asked for by a pipeline that cannot have it (again). */
  standbyRefused: boolean;
  /** Whether a checkpoint is asked for of a process that cannot make one now. */
  checkpointRefused: boolean;
  /** Whether a start is asked for that is not to dismiss the error of the last run. */
  errorHeld: boolean;
};

const meta: LifecycleMeta = {
  title: "Resources",
  description:
    "Whether compute and storage are there to run the pipeline. A start is refused while storage is being cleared and while the program has an error, rather than failing later. The error of the last run can be dismissed; a start dismisses it unless it is told not to, and is refused then.",
  settled: ["Stopped", "Provisioned"],
  facts: {
    desired: ["Stopped", "Provisioned"],
    program: ["compiling", "compiled", "failed"],
    configFits: [true, false],
    clearing: [false, true],
    compute: ["absent", "coming", "ready", "failed"],
    timedOut: [false, true],
    process: ["fine", "failed", "suspended"],
    errorKept: [false, true],
    initialFits: [true, false],
    standbyRefused: [false, true],
    checkpointRefused: [false, true],
    errorHeld: [false, true],
  },
  guards: {
    startWanted: { yes: "it is wanted to run", no: "it is wanted to be stopped" },
    compiled: { yes: "the program is compiled", no: "the program is not compiled yet" },
    compileFailed: {
      yes: "the program failed to compile; an edit compiles it again",
      no: "the program has no compile error",
    },
    configFits: { yes: "its configuration can be run", no: "its configuration cannot be run" },
    clearing: { yes: "its storage is being cleared; wait until it is Cleared", no: "its storage is not being cleared" },
    computeAbsent: { yes: "nothing of its compute is left", no: "parts of its compute are still there" },
    computeReady: { yes: "its compute is up and healthy", no: "its compute is not healthy yet" },
    computeFailed: { yes: "its resources failed for good", no: "its resources have no fatal error" },
    timedOut: { yes: "provisioning took longer than it may", no: "provisioning is within its time" },
    processFailed: { yes: "the pipeline failed for good", no: "the pipeline has no fatal error" },
    processSuspended: { yes: "the pipeline made its last checkpoint", no: "the pipeline is not suspended" },
    errorKept: { yes: "an error of the last run is kept", no: "there is no error to dismiss" },
    initialFits: {
      yes: "it starts as it was asked to",
      no: "its initial status cannot be changed unless it is stopped",
    },
    standbyRefused: {
      yes: 'Standby needs storage.backend.name to be "file" and storage.backend.config.sync to be set, and is had only once until the storage is cleared',
      no: "Standby is not refused",
    },
    checkpointRefused: {
      yes: "the process cannot make a checkpoint now; stop it by force",
      no: "a checkpoint is not refused",
    },
    errorHeld: {
      yes: "the error of the last run is not dismissed; dismiss it, or start with dismiss_error",
      no: "no error has to be dismissed first",
    },
  },
  actions: {
    beginDeployment: "give the deployment an id and its configuration, and take the storage into use",
    ensureCompute: "make the claim, the ConfigMap, the Service and the StatefulSet",
    dropCompute: "delete the StatefulSet, the Service and the ConfigMap",
    noteProvisioned: "note where the process answers",
    endDeployment: "forget the deployment, and want it stopped",
    failStart: "keep the compile error, and want it stopped",
    failConfig: "keep what is wrong with its configuration, and want it stopped",
    failStandby: "keep that it cannot be Standby, and want it stopped",
    failProvisioning: "keep the error of its resources, and want it stopped",
    failTimeout: "keep the timeout as its error, and want it stopped",
    failRuntime: "keep the pipeline's error, and want it stopped",
    forgetError: "forget the error",
    askStart: "ask for compute, and for the initial status",
    askStop: "ask for no compute",
  },
  repeats: ["ensureCompute", "dropCompute"],
  outdates: {
    endDeployment: ["desired"],
    failStart: ["desired"],
    failConfig: ["desired"],
    failStandby: ["desired"],
    failProvisioning: ["desired"],
    failTimeout: ["desired"],
    failRuntime: ["desired"],
  },
  commands: {
    start: {
      title: "Start",
      summary: "Provision its resources and run it; waits for the compiler if need be",
      args: {
        initial: {
          type: "string",
          title: "Initial status",
          options: ["running", "paused", "standby"],
          default: "running",
        },
        dismiss_error: { type: "boolean", title: "Dismiss the last error", default: true },
      },
    },
    stop: {
      title: "Stop",
      summary: "Deprovision its compute; storage is kept. Unless forced, it makes a checkpoint first",
      args: { force: { type: "boolean", title: "Without a checkpoint", default: false } },
    },
    dismissError: { title: "Dismiss error", summary: "Forget the error of the last run" },
  },
};

/** In the order in which a start that breaks several of them is told why. */
const mayStart = [not("errorHeld"), not("clearing"), not("compileFailed"), "initialFits"] as const;

/**
 * Stopped ─▶ Provisioning ─▶ Provisioned ─▶ Stopping ─▶ Stopped, and from each of the first three straight to Stopping.
 */
export const resourcesMachine = setup({
  types: {
    // XState reads its types from values that are never looked at.
    context: {} as ResourcesFacts,
    events: {} as { type: "observed" | "start" | "stop" | "dismissError" },
  },
  guards: {
    startWanted: ({ context }) => context.desired === "Provisioned",
    compiled: ({ context }) => context.program === "compiled",
    compileFailed: ({ context }) => context.program === "failed",
    configFits: ({ context }) => context.configFits,
    clearing: ({ context }) => context.clearing,
    computeAbsent: ({ context }) => context.compute === "absent",
    computeReady: ({ context }) => context.compute === "ready",
    computeFailed: ({ context }) => context.compute === "failed",
    timedOut: ({ context }) => context.timedOut,
    processFailed: ({ context }) => context.process === "failed",
    processSuspended: ({ context }) => context.process === "suspended",
    errorKept: ({ context }) => context.errorKept,
    initialFits: ({ context }) => context.initialFits,
    standbyRefused: ({ context }) => context.standbyRefused,
    checkpointRefused: ({ context }) => context.checkpointRefused,
    errorHeld: ({ context }) => context.errorHeld,
  },
  actions: {
    beginDeployment: () => undefined,
    ensureCompute: () => undefined,
    dropCompute: () => undefined,
    noteProvisioned: () => undefined,
    endDeployment: () => undefined,
    failStart: () => undefined,
    failConfig: () => undefined,
    failStandby: () => undefined,
    failProvisioning: () => undefined,
    failTimeout: () => undefined,
    failRuntime: () => undefined,
    forgetError: () => undefined,
    askStart: () => undefined,
    askStop: () => undefined,
  },
}).createMachine({
  id: "feldera.pipeline.resources",
  meta,
  context: {
    desired: "Stopped",
    program: "compiled",
    configFits: true,
    clearing: false,
    compute: "absent",
    timedOut: false,
    process: "fine",
    errorKept: false,
    initialFits: true,
    standbyRefused: false,
    checkpointRefused: false,
    errorHeld: false,
  },
  initial: "Stopped",
  states: {
    Stopped: {
      meta: { tone: "idle", summary: "No compute; storage is kept until it is cleared" } satisfies StateMeta,
      on: {
        observed: [
          // None of them while it is cleared: neither Stopping nor Provisioning goes with that.
          {
            guard: and(["startWanted", "compileFailed", not("clearing")]),
            target: "Stopping",
            actions: ["failStart"],
          },
          {
            guard: and(["startWanted", "compiled", not("clearing"), not("configFits")]),
            target: "Stopping",
            actions: ["failConfig"],
          },
          // A command is refused for it; a wish that came in past the commands fails.
          {
            guard: and(["startWanted", "compiled", not("clearing"), "standbyRefused"]),
            target: "Stopping",
            actions: ["failStandby"],
          },
          {
            guard: and(["startWanted", "compiled", not("clearing")]),
            target: "Provisioning",
            actions: ["beginDeployment"],
          },
        ],
        start: [
          {
            guard: and([...mayStart, not("standbyRefused")]),
            actions: ["askStart"],
          },
        ],
        stop: [{ actions: ["askStop"] }],
        dismissError: [{ guard: and(["errorKept", not("startWanted")]), actions: ["forgetError"] }],
      },
    },
    Provisioning: {
      meta: { tone: "busy", summary: "Bringing up storage and compute" } satisfies StateMeta,
      on: {
        observed: [
          { guard: not("startWanted"), target: "Stopping", actions: ["endDeployment"] },
          { guard: "computeFailed", target: "Stopping", actions: ["failProvisioning"] },
          // Before the timeout: what is ready in the last moment is ready.
          { guard: "computeReady", target: "Provisioned", actions: ["noteProvisioned"] },
          { guard: "timedOut", target: "Stopping", actions: ["failTimeout"] },
          { actions: ["ensureCompute"] },
        ],
        start: [{ guard: and(["startWanted", ...mayStart]), actions: ["askStart"] }],
        stop: [{ actions: ["askStop"] }],
      },
    },
    Provisioned: {
      meta: { tone: "good", summary: "Compute is up; the process tells how it is" } satisfies StateMeta,
      on: {
        observed: [
          { guard: not("startWanted"), target: "Stopping", actions: ["endDeployment"] },
          // The process's own words first: its exit is what made the resources look broken.
          { guard: "processFailed", target: "Stopping", actions: ["failRuntime"] },
          { guard: "processSuspended", target: "Stopping", actions: ["endDeployment"] },
          { guard: "computeFailed", target: "Stopping", actions: ["failProvisioning"] },
          { actions: ["ensureCompute"] },
        ],
        start: [{ guard: and(["startWanted", ...mayStart]), actions: ["askStart"] }],
        stop: [{ guard: not("checkpointRefused"), actions: ["askStop"] }],
      },
    },
    Stopping: {
      meta: { tone: "busy", summary: "Taking compute down" } satisfies StateMeta,
      on: {
        observed: [{ guard: "computeAbsent", target: "Stopped" }, { actions: ["dropCompute"] }],
        stop: [{ actions: ["askStop"] }],
      },
    },
  },
});
