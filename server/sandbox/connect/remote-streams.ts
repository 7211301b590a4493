import { type Pipe } from "@/server/sandbox/programs/pipe";

/** The far end of an exec or attach: kubectl's streams, whatever carries them. */
export type RemoteStreams = {
  stdin: Pipe;
  stdout: (chunk: Buffer | string) => void;
  stderr: (chunk: Buffer | string) => void;
  /** The outcome, then the end of everything. */
  finish(status: ExecStatus): void;
  /** Resolves when the client has gone. */
  closed: Promise<void>;
};

export type ExecStatus = {
  metadata: Record<string, never>;
  status: "Success" | "Failure";
  message?: string;
  reason?: string;
  details?: { causes: { reason?: string; message: string }[] };
  code?: number;
};

export const success: ExecStatus = { metadata: {}, status: "Success" };

export function exitedWith(code: number): ExecStatus {
  if (code === 0) return success;
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}

export function failedWith(message: string): ExecStatus {
  return {
    metadata: {},
    status: "Failure",
    message: `Internal error occurred: ${message}`,
    reason: "InternalError",
    details: { causes: [{ message }] },
    code: 500,
  };
}
