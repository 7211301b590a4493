"use client";
import type { EdgeProps } from "@xyflow/react";
import type { Layout } from "@/server/layout/layout-machine";
import type { WireLook } from "./drawn-machine";

export type WireData = {
  diagram: string;
  path: Layout["arrows"][number];
  look: WireLook | "focus";
  /** One of too many: drawn, but not labelled. */
  isQuiet: boolean;
  told: string;
};

/** An arrow along the path that the layout found for it; React Flow's own idea of a path is not asked for. */
export function WireEdge({ id, data }: EdgeProps) {
  // React Flow leaves the type of data open; the diagram puts this in.
  const { diagram, path, look, isQuiet, told } = data as WireData;
  return (
    <g data-arrow={id} tabIndex={isQuiet ? -1 : 0} role="img" aria-label={told} className="wired">
      <path
        className={`wire ${look}${isQuiet ? " faint" : ""}`}
        d={path.d}
        markerEnd={isQuiet ? undefined : `url(#${diagram}-${look})`}
      />
      <path className="wire-reach" d={path.d} />
    </g>
  );
}
