import { and, not, setup } from "xstate";
import type { LifecycleMeta, StateMeta } from "../lifecycle";

export type ProgramFacts = {
  /** The program fields differ from the version that was or is being compiled. */
  edited: boolean;
  /** Nothing older waits for the same compiler, and the compiler is free. */
  turn: boolean;
  /** What the Job of the stage under way has come to. */
  job: "absent" | "lost" | "running" | "succeeded" | "rejected" | "broken";
  /** Whether the compilers of a finished program left their objects behind. */
  leftovers: boolean;
};

const meta: LifecycleMeta = {
  title: "Program",
  description: "Whether the SQL and its functions are being, or have been, compiled to something that runs.",
  settled: ["Success", "SqlError", "RustError", "SystemError"],
  facts: {
    edited: [false, true],
    turn: [true, false],
    job: ["absent", "lost", "running", "succeeded", "rejected", "broken"],
    leftovers: [false, true],
  },
  guards: {
    edited: { yes: "the program was edited", no: "the program was not edited since" },
    turn: { yes: "it is its turn at the compiler", no: "older programs are compiled first" },
    jobAbsent: { yes: "the compiler is not started yet", no: "the compiler was started" },
    jobLost: { yes: "the compiler went down", no: "the compiler did not go down" },
    jobSucceeded: { yes: "the compiler succeeded", no: "the compiler has not succeeded" },
    jobRejected: { yes: "the compiler found errors in the program", no: "the compiler found no error" },
    jobBroken: { yes: "the compiler broke down", no: "the compiler did not break down" },
    leftovers: { yes: "the compilers' objects are still there", no: "the compilers left nothing behind" },
  },
  actions: {
    startSqlJob: "start the SQL compiler",
    startRustJob: "start the Rust compiler",
    dropJobs: "delete the compilers' Jobs and what they were given",
    keepProgramInfo: "keep what the SQL compiler found",
    keepErrors: "keep the compiler's messages",
    resetProgram: "forget errors, schema and checksum of the old program",
  },
  repeats: ["startSqlJob", "startRustJob", "dropJobs"],
  outdates: { resetProgram: ["edited"] },
  commands: {},
};

/** Only once the result is in the status: what a Job has said goes with it. */
const finished = [
  { guard: "edited", target: "Pending", actions: ["dropJobs", "resetProgram"] },
  { guard: "leftovers", actions: ["dropJobs"] },
] as const;

/**
 * Pending ─▶ CompilingSql ─▶ SqlCompiled ─▶ CompilingRust ─▶ Success; each stage ends in an error of its own,
 * goes back a step when its compiler went down, and to Pending when the program is edited.
 */
export const programMachine = setup({
  // XState reads its types from values that are never looked at.
  types: { context: {} as ProgramFacts, events: {} as { type: "observed" } },
  guards: {
    edited: ({ context }) => context.edited,
    turn: ({ context }) => context.turn,
    jobAbsent: ({ context }) => context.job === "absent",
    jobLost: ({ context }) => context.job === "lost",
    jobSucceeded: ({ context }) => context.job === "succeeded",
    jobRejected: ({ context }) => context.job === "rejected",
    jobBroken: ({ context }) => context.job === "broken",
    leftovers: ({ context }) => context.leftovers,
  },
  actions: {
    startSqlJob: () => undefined,
    startRustJob: () => undefined,
    dropJobs: () => undefined,
    keepProgramInfo: () => undefined,
    keepErrors: () => undefined,
    resetProgram: () => undefined,
  },
}).createMachine({
  id: "feldera.pipeline.program",
  meta,
  context: { edited: false, turn: true, job: "absent", leftovers: false },
  initial: "Pending",
  states: {
    Pending: {
      meta: { tone: "busy", summary: "Waits for the SQL compiler" } satisfies StateMeta,
      on: {
        observed: [
          { guard: "edited", target: "Pending", actions: ["resetProgram"] },
          // A program that no compiler can be given waits for none.
          { guard: "jobBroken", target: "SystemError", actions: ["keepErrors"] },
          { guard: and(["turn", not("jobLost")]), target: "CompilingSql" },
        ],
      },
    },
    CompilingSql: {
      meta: { tone: "busy", summary: "The SQL is being compiled" } satisfies StateMeta,
      on: {
        observed: [
          // Before any result: it would be the result of a program that nobody wants any more.
          { guard: "edited", target: "Pending", actions: ["dropJobs", "resetProgram"] },
          { guard: "jobLost", target: "Pending" },
          { guard: "jobSucceeded", target: "SqlCompiled", actions: ["keepProgramInfo"] },
          { guard: "jobRejected", target: "SqlError", actions: ["keepErrors"] },
          { guard: "jobBroken", target: "SystemError", actions: ["keepErrors"] },
          { guard: "jobAbsent", actions: ["startSqlJob"] },
        ],
      },
    },
    SqlCompiled: {
      meta: { tone: "busy", summary: "Waits for the Rust compiler" } satisfies StateMeta,
      on: {
        observed: [
          { guard: "edited", target: "Pending", actions: ["dropJobs", "resetProgram"] },
          { guard: and(["turn", not("jobLost")]), target: "CompilingRust" },
        ],
      },
    },
    CompilingRust: {
      meta: { tone: "busy", summary: "The Rust code is being compiled" } satisfies StateMeta,
      on: {
        observed: [
          { guard: "edited", target: "Pending", actions: ["dropJobs", "resetProgram"] },
          { guard: "jobLost", target: "SqlCompiled" },
          { guard: "jobSucceeded", target: "Success", actions: ["keepErrors"] },
          { guard: "jobRejected", target: "RustError", actions: ["keepErrors"] },
          { guard: "jobBroken", target: "SystemError", actions: ["keepErrors"] },
          { guard: "jobAbsent", actions: ["startRustJob"] },
        ],
      },
    },
    Success: {
      meta: { tone: "good", summary: "Compiled; it can be run" } satisfies StateMeta,
      on: { observed: finished },
    },
    SqlError: {
      meta: { tone: "bad", summary: "The SQL has an error" } satisfies StateMeta,
      on: { observed: finished },
    },
    RustError: {
      meta: { tone: "bad", summary: "The Rust code has an error" } satisfies StateMeta,
      on: { observed: finished },
    },
    SystemError: {
      meta: { tone: "bad", summary: "The compiler itself failed" } satisfies StateMeta,
      on: { observed: finished },
    },
  },
});
