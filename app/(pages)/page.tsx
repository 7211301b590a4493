import { Overview } from "@/components/overview/overview";
import { attentionQuery, latelyQuery, underWayQuery } from "@/components/overview/overview-queries";
import { Prefetch } from "@/app/prefetch";

export default function OverviewPage() {
  return (
    <Prefetch
      queries={(trpc) => [
        ...[attentionQuery, underWayQuery].map((query) => trpc.fleet.page.queryOptions(query)),
        trpc.fleet.lately.queryOptions(latelyQuery),
        trpc.machines.pictures.queryOptions(),
      ]}
    >
      <Overview />
    </Prefetch>
  );
}
