import type { Tone } from "@/machines/lifecycle";
import { ToneIcon } from "./tone-icon";

export function StatusPill({
  tone,
  children,
  slim,
  title,
}: {
  tone: Tone;
  children: React.ReactNode;
  slim?: true;
  title?: string;
}) {
  return (
    <span className={`pill ${tone}${slim ? " slim" : ""}`} title={title}>
      <ToneIcon tone={tone} />
      <span>{children}</span>
    </span>
  );
}
