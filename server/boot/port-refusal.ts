import { UsageError } from "@/server/env";

/** Why a port cannot be listened on, as a sentence that says what to do; any other error stays as it is. */
export function portRefusal<Caught>(
  error: Caught,
  at: { host: string; port: number; option: string },
): Caught | UsageError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const sentence = refusals[code]?.(at);
  return sentence ? new UsageError(sentence) : error;
}

type Refusal = (at: { host: string; port: number; option: string }) => string;

const noAddress: Refusal = ({ host }) => `${host} is not an address of this machine: choose another one with --host.`;
const refusals: Record<string, Refusal> = {
  EADDRINUSE: ({ host, port, option }) =>
    `Port ${port} on ${host} is in use: stop what uses it, or choose another one with ${option}.`,
  EACCES: ({ port, option }) => `Port ${port} may not be used by this user: choose one above 1023 with ${option}.`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
};
