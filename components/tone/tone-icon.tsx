import type { Tone } from "@/machines/lifecycle";

const shapes: Record<Tone, React.ReactNode> = {
  idle: <circle cx="5" cy="5" r="3.4" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  busy: (
    <path d="M5 1.6a3.4 3.4 0 1 1-3.4 3.4" fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
  ),
  good: <circle cx="5" cy="5" r="3.6" fill="currentColor" />,
  warn: <path d="M5 1.1 9.2 8.6H.8Z" fill="currentColor" />,
  bad: <path d="m2.2 2.2 5.6 5.6m0-5.6L2.2 7.8" stroke="currentColor" strokeWidth="1.9" strokeLinecap="round" />,
};

/** A shape for each tone, so that colour never speaks alone. */
export function ToneIcon({ tone }: { tone: Tone }) {
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden>
      {shapes[tone]}
    </svg>
  );
}
