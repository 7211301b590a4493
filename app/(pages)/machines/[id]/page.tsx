import { notFound, redirect } from "next/navigation";
import { MachinePage } from "@/components/machines/machine-page";
import { machinePath } from "@/components/paths";
import { kinds } from "@/machines/families";
import type { Kind } from "@/machines/kind";
import { Prefetch } from "@/app/prefetch";

type Props = { params: Promise<{ id: string }> };

export default async function OneMachinePage({ params }: Props) {
  const [family = "", short = "", lifecycle] = (await params).id.split(".");
  const kind = `${family}.${short}`;
  const all: Record<string, Kind> = kinds;
  const lifecycles = Object.hasOwn(all, kind) ? (all[kind]?.lifecycles ?? {}) : {};
  const [first] = Object.keys(lifecycles);
  if (first && lifecycle === undefined) redirect(machinePath(kind, first));
  if (!lifecycle || !Object.hasOwn(lifecycles, lifecycle)) notFound();
  return (
    <Prefetch
      queries={(trpc) => [
        trpc.machines.get.queryOptions({ kind, lifecycle }),
        trpc.machines.flow.queryOptions({ kind, lifecycle }),
      ]}
    >
      <MachinePage kind={kind} lifecycle={lifecycle} />
    </Prefetch>
  );
}

export async function generateMetadata({ params }: Props) {
  return { title: (await params).id };
}
