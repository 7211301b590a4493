"use client";
import type { Tone } from "@/machines/lifecycle";
import { duration } from "../time/duration";
import { useNow } from "../time/now";
import { useLiveState } from "./live";
import type { LiveState } from "./live-channel";

const tones: Record<LiveState["mark"], Tone> = {
  live: "good",
  "catching up": "busy",
  stale: "warn",
  "signed out": "idle",
};

/** Whether what is shown is the present. */
export function LiveMark() {
  const { mark, since } = useLiveState();
  const now = useNow();
  const said = mark === "stale" && now > 0 ? `stale for ${duration(now - since, 1)}` : mark;
  return (
    <span className={`pill slim ${tones[mark]}`} role="status">
      <i className="dot" />
      {said}
    </span>
  );
}
