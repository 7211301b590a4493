"use client";
import { usePathname } from "next/navigation";
import { useLiveState } from "../live/live";

/** The session ended while the page was open: nothing more is asked for until there is a new one. */
export function SignedOut() {
  const { mark } = useLiveState();
  const path = usePathname();
  if (mark !== "signed out") return null;
  return (
    <div className="past-note" role="alert">
      Your session has ended; what you see is from before.
      <a className="button" href={`/sign-in?to=${encodeURIComponent(path)}`}>
        Sign in
      </a>
    </div>
  );
}
