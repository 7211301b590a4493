/** What a sandbox in a process of its own says of itself: how long it took to start, and how much it holds. */
export type SandboxReport = { url: string; token: string; startMs: number; bytes: number; cpuMs: number };
