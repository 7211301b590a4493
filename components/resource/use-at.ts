"use client";
import { usePathname, useSearchParams } from "next/navigation";

/** `?at=` puts the page at a past transition, so that the link shows somebody else the same. */
export function useAt(): [at: string | null, setAt: (id: string | null) => void] {
  const search = useSearchParams();
  const path = usePathname();
  const setAt = (id: string | null) =>
    // The address alone: everything that the moment needs is asked for by the page itself.
    window.history.replaceState(null, "", id === null ? path : `${path}?at=${encodeURIComponent(id)}`);
  return [search.get("at"), setAt];
}
