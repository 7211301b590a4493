import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { Shell } from "@/components/shell/shell";
import { asker, madeAt, shellState } from "@/app/prefetch";

export const dynamic = "force-dynamic";

export default async function Pages({ children }: { children: React.ReactNode }) {
  if (!(await asker())) {
    const to = (await headers()).get("x-orrery-path") ?? "/";
    redirect(`/sign-in?to=${encodeURIComponent(to)}`);
  }
  return (
    <Shell madeAt={madeAt()} known={await shellState()}>
      {children}
    </Shell>
  );
}
