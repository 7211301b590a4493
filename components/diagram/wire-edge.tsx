"use client";
import type { EdgeProps } from "@xyflow/react";
import type { Layout } from "@/server/layout/layout-machine";
import type { WireLook } from "./drawn-machine";

export type WireData = { diagram: string; path: Layout["arrows"][number]; look: WireLook | "focus"; isQuiet: boolean };

/** An arrow along the path that the layout found for it; React Flow's own idea of a path is not asked for. */
export function WireEdge({ data }: EdgeProps) {
  // React Flow leaves the type of data open; the diagram puts this in.
  const { diagram, path, look, isQuiet } = data as WireData;
  return (
    <g>
      <path
        className={`wire ${look}${isQuiet ? " faint" : ""}`}
        d={path.d}
        markerEnd={isQuiet ? undefined : `url(#${diagram}-${look})`}
      />
      {!isQuiet &&
        path.lines.map((line, index) => (
          <text
            key={line}
            className={`wire-label${look === "focus" ? " strong" : ""}`}
            x={path.label.x}
            y={path.label.y + 11 + index * 14}
          >
            {line}
          </text>
        ))}
    </g>
  );
}
