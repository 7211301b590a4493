import type { Metadata } from "next";
import { MachineCards } from "@/components/machines/machine-cards";
import { Prefetch } from "@/app/prefetch";

export const metadata: Metadata = { title: "Machines" };

export default function MachinesPage() {
  return (
    <Prefetch queries={(trpc) => [trpc.machines.pictures.queryOptions()]}>
      <h1>Machines</h1>
      <p className="say">The rules that reconcile, decide which button may be pressed, and draw these pictures.</p>
      <div className="section" />
      <MachineCards hrefs="machine" />
    </Prefetch>
  );
}
