"use client";
import type { NodeProps } from "@xyflow/react";

export function BoxNode({ data }: NodeProps) {
  return <div className="boxed">{String(data["title"])}</div>;
}
