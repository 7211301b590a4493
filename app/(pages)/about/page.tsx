import type { Metadata } from "next";
import { About } from "@/components/about/about";
import { Prefetch } from "@/app/prefetch";

export const metadata: Metadata = { title: "About and settings" };

export default function AboutPage() {
  return (
    <Prefetch>
      <About />
    </Prefetch>
  );
}
