import { notFound } from "next/navigation";
import { noNamespace } from "@/components/paths";
import { ResourcePage } from "@/components/resource/resource-page";
import { historyPage } from "@/components/resource/history-page";
import { kinds } from "@/machines/families";
import type { Kind } from "@/machines/kind";
import { Prefetch } from "@/app/prefetch";

type Props = {
  params: Promise<{ family: string; kind: string; namespace: string; name: string }>;
  searchParams: Promise<{ at?: string }>;
};

export default async function OnePage({ params, searchParams }: Props) {
  const { family, kind: short, namespace: within, name } = await params;
  const kind = `${family}.${short}`;
  const all: Record<string, Kind> = kinds;
  if (!Object.hasOwn(kinds, kind)) notFound();
  const { at } = await searchParams;
  const lifecycles = Object.keys(all[kind]?.lifecycles ?? {});
  const ref = { kind, namespace: within === noNamespace ? "" : within, name };
  return (
    <Prefetch
      queries={(trpc) => [
        trpc.resource.get.queryOptions(ref),
        trpc.resource.explain.queryOptions(ref),
        ...lifecycles.map((lifecycle) => trpc.machines.get.queryOptions({ kind, lifecycle })),
        ...(at ? [trpc.resource.asOf.queryOptions({ ...ref, id: at })] : []),
      ]}
      paged={({ trpc }) => [trpc.resource.history.infiniteQueryOptions(...historyPage(ref))]}
    >
      <ResourcePage key={`${kind}/${ref.namespace}/${name}`} {...ref} />
    </Prefetch>
  );
}

export async function generateMetadata({ params }: Props) {
  return { title: (await params).name };
}
