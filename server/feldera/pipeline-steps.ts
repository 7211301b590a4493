import type { AnyStateMachine } from "xstate";
import type { programMachine } from "@/machines/feldera/program.machine";
import type { resourcesMachine } from "@/machines/feldera/resources.machine";
import type { runtimeMachine } from "@/machines/feldera/runtime.machine";
import type { storageMachine } from "@/machines/feldera/storage.machine";
import type { ActionName, StateName } from "@/machines/lifecycle";

type StepOf<M extends AnyStateMachine> = {
  from: StateName<M>;
  to: StateName<M>;
  event: string;
  actions: ActionName<M>[];
  /** As the resources' step of the same pass leaves them. */
  facts?: Record<string, unknown>;
};

/** What each of the four machines does in one pass. The program rests while there are resources. */
export type Steps = {
  resources: StepOf<typeof resourcesMachine>;
  storage: StepOf<typeof storageMachine>;
  runtime: StepOf<typeof runtimeMachine>;
  program: StepOf<typeof programMachine>;
};
