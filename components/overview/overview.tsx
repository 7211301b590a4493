"use client";
import { MachineCards } from "../machines/machine-cards";
import { Attention } from "./attention";
import { Lately } from "./lately";

export function Overview() {
  return (
    <>
      <Attention />
      <MachineCards hrefs="list" />
      <Lately />
    </>
  );
}
