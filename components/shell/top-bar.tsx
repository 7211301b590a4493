"use client";
import { useQuery } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { LiveMark } from "../live/live-mark";
import { kindPath } from "../paths";
import { useTRPC } from "../trpc";
import { Link } from "../ui/link";

type Props = { isMenuOpen: boolean; onMenu: () => void; onSearch: () => void; onHelp: () => void };

export function TopBar({ isMenuOpen, onMenu, onSearch, onHelp }: Props) {
  const crumbs = useCrumbs();
  return (
    <div className="top">
      <button className="menu-button" aria-expanded={isMenuOpen} aria-label="Pages" onClick={onMenu}>
        ☰
      </button>
      <nav className="crumbs" aria-label="Where you are">
        {crumbs.map(({ title, href }, index) =>
          index === crumbs.length - 1 ? (
            <span key={href} aria-current="page">
              {title}
            </span>
          ) : (
            <span key={href}>
              <Link href={href}>{title}</Link>
            </span>
          ),
        )}
      </nav>
      <span className="space" />
      <span className="only-small">
        <LiveMark />
      </span>
      <button className="quiet" onClick={onSearch} aria-keyshortcuts="Meta+K Control+K">
        <span>Search</span> <span className="key">⌘K</span>
      </button>
      <button className="quiet" aria-label="Keys" onClick={onHelp} aria-keyshortcuts="?">
        <span className="key">?</span>
      </button>
    </div>
  );
}

const titles: Record<string, string> = {
  "": "Overview",
  all: "All resources",
  machines: "Machines",
  audit: "Audit",
  about: "About and settings",
};

function useCrumbs(): { title: string; href: string }[] {
  const path = usePathname();
  const { data: machines = [] } = useQuery(useTRPC().machines.list.queryOptions());
  const [first = "", second, ...rest] = path.split("/").slice(1).map(decodeURIComponent);
  const title = titles[first];
  if (title !== undefined) return [{ title, href: `/${first}` }, ...(second ? [{ title: second, href: path }] : [])];
  const kind = machines.find((machine) => machine.kind === `${first}.${second ?? ""}`);
  const href = kindPath(`${first}.${second ?? ""}`);
  const below = rest.map((part, index) => ({
    title: part,
    href: index === 0 && rest.length > 1 ? `${href}?namespace=${part}` : path,
  }));
  return [
    { title: kind?.familyTitle ?? first, href: `/all?family=${first}` },
    { title: kind?.kindTitlePlural ?? second ?? "", href },
    ...below,
  ];
}
