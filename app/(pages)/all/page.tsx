import type { Metadata } from "next";
import { ResourceList } from "@/components/list/resource-list";
import { Prefetch } from "@/app/prefetch";

export const metadata: Metadata = { title: "All resources" };

export default function AllPage() {
  return (
    <Prefetch queries={() => []}>
      <ResourceList kind={null} />
    </Prefetch>
  );
}
