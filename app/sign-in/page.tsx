import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { SignIn } from "@/components/sign-in/sign-in";
import { services } from "@/server/services";

export const metadata: Metadata = { title: "Sign in" };
export const dynamic = "force-dynamic";

type Props = { searchParams: Promise<{ to?: string; error?: string }> };

export default async function SignInPage({ searchParams }: Props) {
  const { to = "/", error = null } = await searchParams;
  const { mode } = services().door;
  if (mode === "none") redirect("/");
  // Only to a page of ours: "//elsewhere" would be another site.
  return <SignIn mode={mode} to={/^\/(?![/\\])/.test(to) ? to : "/"} error={error} />;
}
