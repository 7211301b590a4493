import { notFound } from "next/navigation";
import { PrefetchedList, type Search } from "@/app/list-prefetch";
import { kinds } from "@/machines/families";

type Props = { params: Promise<{ family: string; kind: string }>; searchParams: Search };

export default async function ListPage({ params, searchParams }: Props) {
  const { family, kind } = await params;
  const id = `${family}.${kind}`;
  if (!Object.hasOwn(kinds, id)) notFound();
  return <PrefetchedList kind={id} searchParams={searchParams} />;
}

export async function generateMetadata({ params }: Props) {
  const { family, kind } = await params;
  const all: Record<string, { titlePlural: string }> = kinds;
  return { title: all[`${family}.${kind}`]?.titlePlural };
}
