import type { Metadata } from "next";
import { auditPage } from "@/components/audit/audit-page";
import { AuditLog } from "@/components/audit/audit-log";
import { Prefetch } from "@/app/prefetch";

export const metadata: Metadata = { title: "Audit" };

export default function AuditPage() {
  return (
    <Prefetch paged={({ trpc }) => [trpc.commands.page.infiniteQueryOptions(...auditPage)]}>
      <h1>Audit</h1>
      <p className="say">Every command that was asked for, allowed or refused, newest first.</p>
      <div className="section" />
      <AuditLog />
    </Prefetch>
  );
}
