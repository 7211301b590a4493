import { type Server } from "node:net";
import { type Clock } from "@/server/kubernetes/clock";
import { type FileSystem } from "@/server/sandbox/kubelet/file-system";

export type Signal = "SIGTERM" | "SIGKILL" | "SIGINT" | "SIGHUP";

/** How a process ended. `oom`: the kernel killed it for its memory. */
export type Exit = { code: number; signal?: number; oom?: boolean };

/** What a process reads. `end` is null when there is no more. */
export type Input = { read(): Promise<Buffer | null> };

/** The world of one process inside a container: what an operating system would give it. */
export type ProcessHost = {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  directory: string;
  files: FileSystem;
  clock: Clock;
  /** The pod's own address. */
  address: string;
  hostname: string;
  ports: readonly number[];
  stdin: Input;
  stdout: (chunk: Buffer | string) => void;
  stderr: (chunk: Buffer | string) => void;
  /** Without a handler, SIGTERM has no effect: a container's first process has no default one. */
  onSignal(handler: (signal: Signal) => void): void;
  /** Aborted when the process is over, for whatever reason. */
  over: AbortSignal;
  /** Makes the server listen on the pod's address; closed when the process is over. */
  listen(server: Server, port: number): Promise<void>;
};

/** A program runs until its promise resolves with the exit code. */
export type Program = (host: ProcessHost) => Promise<number>;
