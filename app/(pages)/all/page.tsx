import type { Metadata } from "next";
import { PrefetchedList, type Search } from "@/app/list-prefetch";

export const metadata: Metadata = { title: "All resources" };

export default function AllPage({ searchParams }: { searchParams: Search }) {
  return <PrefetchedList kind={null} searchParams={searchParams} />;
}
