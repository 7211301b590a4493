"use client";
import { useQuery } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { LiveMark } from "../live/live-mark";
import { kindPath } from "../paths";
import { useTRPC } from "../trpc";
import { Link } from "../ui/link";
import { Brand } from "./brand";

export function SideBar({ isOpen }: { isOpen: boolean }) {
  const trpc = useTRPC();
  const { data: machines = [] } = useQuery(trpc.machines.list.queryOptions());
  const { data: here } = useQuery(trpc.whoami.queryOptions());
  // A kind has one entry, by the lifecycle that comes first.
  const kinds = machines.filter(({ kind }, index) => machines.findIndex((other) => other.kind === kind) === index);
  const families = [...new Set(kinds.map(({ family }) => family))];
  return (
    <nav className={`side${isOpen ? " open" : ""}`} aria-label="Pages">
      <Link className="brand" href="/">
        <Brand />
      </Link>
      <Item href="/">Overview</Item>
      <Item href="/all" count={kinds.reduce((sum, { total }) => sum + total, 0)}>
        All resources
      </Item>
      {families.map((family) => (
        <div key={family}>
          <h2>{kinds.find((kind) => kind.family === family)?.familyTitle}</h2>
          {kinds
            .filter((kind) => kind.family === family)
            .map(({ kind, kindTitlePlural, total }) => (
              <Item key={kind} href={kindPath(kind)} count={total}>
                {kindTitlePlural}
              </Item>
            ))}
        </div>
      ))}
      <h2>System</h2>
      <Item href="/machines" count={machines.length}>
        Machines
      </Item>
      <Item href="/audit">Audit</Item>
      <Item href="/about">About and settings</Item>
      <div className="foot">
        <LiveMark />
        <span>{here ? (here.sandbox ? "sandbox cluster" : here.cluster) : ""}</span>
      </div>
    </nav>
  );
}

function Item({ href, count, children }: { href: string; count?: number; children: React.ReactNode }) {
  const path = usePathname();
  const isHere = href === "/" ? path === "/" : path === href || path.startsWith(`${href}/`);
  return (
    <Link className="item" href={href} aria-current={isHere ? "page" : undefined}>
      {children}
      {count !== undefined && <span>{count.toLocaleString("en")}</span>}
    </Link>
  );
}
