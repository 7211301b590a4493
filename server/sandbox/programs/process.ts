import { type Server } from "node:net";
import { type Exit, type ProcessHost, type Program, type Signal } from "./program";

export type Process = {
  exited: Promise<Exit>;
  signal(signal: Signal): void;
  /** Ends it from outside at once, with this outcome. */
  end(exit: Exit): void;
};

type Surroundings = Omit<ProcessHost, "onSignal" | "over" | "listen"> & {
  /** Binds to the pod's address. */
  bind: (server: Server, port: number) => Promise<() => void>;
};

const SIGKILL: Exit = { code: 137 };

/** Runs a program as a process: it ends by itself, by a signal, or because somebody ends it; nothing of it stays. */
export function startProcess(program: Program, { bind, ...surroundings }: Surroundings): Process {
  const over = new AbortController();
  const handlers: ((signal: Signal) => void)[] = [];
  const unbind: (() => void)[] = [];
  let settle: (exit: Exit) => void = () => undefined;
  const exited = new Promise<Exit>((resolve) => (settle = resolve));

  function end(exit: Exit) {
    if (over.signal.aborted) return;
    over.abort();
    unbind.splice(0).forEach((close) => close());
    settle(exit);
  }

  const host: ProcessHost = {
    ...surroundings,
    stdout: (chunk) => (over.signal.aborted ? undefined : surroundings.stdout(chunk)),
    stderr: (chunk) => (over.signal.aborted ? undefined : surroundings.stderr(chunk)),
    onSignal: (handler) => void handlers.push(handler),
    over: over.signal,
    listen: async (server, port) => {
      const close = await bind(server, port);
      if (over.signal.aborted) close();
      else unbind.push(close);
    },
  };

  program(host).then(
    (code) => end({ code }),
    (error: unknown) => {
      host.stderr(`${error instanceof Error ? error.message : String(error)}\n`);
      end({ code: 1 });
    },
  );

  return {
    exited,
    end,
    signal: (signal) => {
      if (signal === "SIGKILL") end(SIGKILL);
      else handlers.forEach((handler) => handler(signal));
    },
  };
}
