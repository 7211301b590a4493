"use client";
import { Handle, Position, type NodeProps } from "@xyflow/react";
import type { DrawnState } from "./drawn-machine";

export type StateData = { diagram: string; state: DrawnState; ways: string[] };

export function StateNode({ data }: NodeProps) {
  // React Flow leaves the type of data open; the diagram puts this in.
  const { diagram, state, ways } = data as StateData;
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <button
        id={stateElementId(diagram, state.id)}
        className={`state ${state.tone} ${state.look}`}
        data-state={state.id}
        aria-current={state.look === "now" ? "true" : undefined}
        title={[state.summary, ...state.loops.map((loop) => `↺ ${loop}`)].join("\n")}
      >
        <span>{state.id}</span> {state.sub && <small>{state.sub}</small>}
        {state.count !== null && state.count > 0 && <span className="count">{state.count.toLocaleString("en")}</span>}
        <span className="visually-hidden">{moreOf(state, ways)}</span>
      </button>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}

export function stateElementId(diagram: string, state: string): string {
  return `${diagram}-state-${state}`;
}

/** What the picture tells by its looks: "current state, 2 ways out: Running, open; Failed". */
function moreOf({ look, summary }: DrawnState, ways: string[]): string {
  const out = ways.length
    ? `${ways.length} ${ways.length === 1 ? "way" : "ways"} out: ${ways.join("; ")}`
    : "no way out";
  return [look === "now" ? " current state" : "", summary, out].filter(Boolean).join(", ");
}
