import { expect, test } from "vitest";
import { observed, step } from "../lifecycle";
import { programMachine, type ProgramFacts } from "./program.machine";

const calm: ProgramFacts = { edited: false, turn: false, job: "absent", leftovers: false };
const reset = ["dropJobs", "resetProgram"];

// prettier-ignore
test.each([
  // from           what is true                        to               what is done
  ["Pending",       {},                                 "Pending",       []],
  ["Pending",       { edited: true, turn: true },       "Pending",       ["resetProgram"]],
  ["Pending",       { turn: true },                     "CompilingSql",  []],
  ["Pending",       { turn: true, job: "lost" },        "Pending",       []],
  ["Pending",       { job: "broken" },                  "SystemError",   ["keepErrors"]],
  ["CompilingSql",  {},                                 "CompilingSql",  ["startSqlJob"]],
  ["CompilingSql",  { job: "running" },                 "CompilingSql",  []],
  ["CompilingSql",  { job: "lost" },                    "Pending",       []],
  ["CompilingSql",  { job: "succeeded" },               "SqlCompiled",   ["keepProgramInfo"]],
  ["CompilingSql",  { job: "rejected" },                "SqlError",      ["keepErrors"]],
  ["CompilingSql",  { job: "broken" },                  "SystemError",   ["keepErrors"]],
  ["CompilingSql",  { edited: true, job: "succeeded" }, "Pending",       reset],
  ["SqlCompiled",   {},                                 "SqlCompiled",   []],
  ["SqlCompiled",   { turn: true },                     "CompilingRust", []],
  ["SqlCompiled",   { edited: true, turn: true },       "Pending",       reset],
  ["CompilingRust", {},                                 "CompilingRust", ["startRustJob"]],
  ["CompilingRust", { job: "lost" },                    "SqlCompiled",   []],
  ["CompilingRust", { job: "succeeded" },               "Success",       ["keepErrors"]],
  ["CompilingRust", { job: "rejected" },                "RustError",     ["keepErrors"]],
  ["CompilingRust", { job: "broken" },                  "SystemError",   ["keepErrors"]],
  ["CompilingRust", { edited: true, job: "rejected" },  "Pending",       reset],
  ["Success",       {},                                 "Success",       []],
  ["Success",       { edited: true },                   "Pending",       reset],
  ["Success",       { leftovers: true },                "Success",       ["dropJobs"]],
  ["SqlError",      { edited: true },                   "Pending",       reset],
  ["SqlError",      { leftovers: true },                "SqlError",      ["dropJobs"]],
  ["RustError",     { edited: true },                   "Pending",       reset],
  ["RustError",     { leftovers: true },                "RustError",     ["dropJobs"]],
  ["SystemError",   { edited: true },                   "Pending",       reset],
  ["SystemError",   { leftovers: true },                "SystemError",   ["dropJobs"]],
  ["SqlError",      { turn: true },                     "SqlError",      []],
] as const)("%s, %o → %s, %o", (state, facts, to, actions) => {
  expect(step(programMachine, { state, facts: { ...calm, ...facts } }, observed)).toEqual({ state: to, actions });
});
