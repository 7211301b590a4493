import { compose } from "../compose";
import { resourcesMachine } from "./resources.machine";
import { runtimeMachine } from "./runtime.machine";

/** The resources machine with its Provisioned box opened: there the process says what it is doing. */
export const combinedMachine = compose({
  id: "feldera.pipeline.combined",
  title: "Pipeline",
  description: "Resources and runtime in one: while resources are provisioned, what the process says.",
  outer: resourcesMachine,
  box: "Provisioned",
  inner: runtimeMachine,
  entry: "Initializing",
  outside: "Absent",
});
