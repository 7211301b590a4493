"use client";
import type { EdgeProps } from "@xyflow/react";
import { WireLabels, type LabelsData } from "./wire-labels";

/** An edge in name only: React Flow draws edges in their order, and the words come last. */
export function LabelsEdge({ data }: EdgeProps) {
  // React Flow leaves the type of data open; the diagram puts this in.
  return <WireLabels {...(data as LabelsData)} />;
}
