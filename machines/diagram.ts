import type { AnyStateMachine } from "xstate";
import type { Diagram } from "./arrows";
import { edgesOf, type Edge } from "./edges";
import { guardText } from "./guard";
import { initialOf, metaOf, observed, stateMetaOf, statesOf } from "./lifecycle";

/** A machine as a picture without places: exactly its states and its transitions. */
export function diagramOf(machine: AnyStateMachine): Diagram {
  const { settled, boxes = {} } = metaOf(machine);
  return {
    boxes,
    nodes: statesOf(machine).map((state) => ({
      id: state,
      initial: initialOf(machine) === state,
      settled: settled.includes(state),
      ...stateMetaOf(machine, state),
    })),
    edges: edgesOf(machine).map((edge) => ({
      id: edge.id,
      from: edge.from,
      to: edge.to,
      self: edge.self,
      label: labelOf(edge),
      command: Object.hasOwn(metaOf(machine).commands, edge.event) ? edge.event : null,
    })),
  };
}

function labelOf({ event, guard, actions }: Edge): string {
  const isLook = event === observed.type;
  const when = guard ? `[${guardText(guard)}]` : isLook ? "otherwise" : "";
  return [isLook ? "" : event, when, actions.length ? `/ ${actions.join(", ")}` : ""].filter(Boolean).join(" ");
}
