import type { AnyStateMachine } from "xstate";
import { contentHash } from "@/machines/content-hash";
import { diagramOf } from "@/machines/diagram";
import { metaOf } from "@/machines/lifecycle";
import { rowsOf } from "@/machines/table";
import type { Definition } from "./machine-answers";

/** Everything about a machine that can be shown without its code. */
export function definitionOf(machine: AnyStateMachine): Definition {
  const { title, description, facts, guards, actions, commands } = metaOf(machine);
  return {
    id: machine.id,
    hash: contentHash(machine),
    title,
    description,
    diagram: diagramOf(machine),
    table: rowsOf(machine),
    facts,
    guards,
    actions,
    commands,
  };
}
