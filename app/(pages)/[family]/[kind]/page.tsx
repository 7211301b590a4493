import { notFound } from "next/navigation";
import { ResourceList } from "@/components/list/resource-list";
import { kinds } from "@/machines/families";
import { Prefetch } from "@/app/prefetch";

type Props = { params: Promise<{ family: string; kind: string }> };

export default async function ListPage({ params }: Props) {
  const { family, kind } = await params;
  const id = `${family}.${kind}`;
  if (!Object.hasOwn(kinds, id)) notFound();
  return (
    <Prefetch queries={(trpc) => [trpc.machines.get.queryOptions({ kind: id })]}>
      <ResourceList key={id} kind={id} />
    </Prefetch>
  );
}

export async function generateMetadata({ params }: Props) {
  const { family, kind } = await params;
  const all: Record<string, { titlePlural: string }> = kinds;
  return { title: all[`${family}.${kind}`]?.titlePlural };
}
