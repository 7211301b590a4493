"use client";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import type { inferRouterInputs } from "@trpc/server";
import { useState } from "react";
import type { AppRouter } from "@/server/trpc/root";
import { CommandArgs, firstArgs } from "../resource/command-args";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";
import { Sheet } from "../ui/sheet";
import { BulkResult } from "./bulk-result";

type Bulk = inferRouterInputs<AppRouter>["bulk"]["run"];
type Props = { command: string; of: Bulk["of"]; onClose: () => void };

/** What would happen to each, before; what happened to each, after. */
export function BulkDialog({ command, of: asked, onClose }: Props) {
  const trpc = useTRPC();
  // Those that were chosen when it was opened, whatever the list does meanwhile.
  const [of] = useState(asked);
  const [args, setArgs] = useState<Record<string, unknown> | null>(null);
  const [typed, setTyped] = useState("");
  const input: Bulk = { command, of, ...(args && { args }) };
  const forecast = useQuery({
    ...trpc.bulk.forecast.queryOptions(input),
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  const run = useMutation(trpc.bulk.run.mutationOptions());
  const wanted = forecast.data?.args ?? {};
  // The first forecast tells what the command wants to know; the next one is made with that.
  if (args === null && Object.keys(wanted).length > 0) setArgs(firstArgs(wanted));
  const word = `${command} ${forecast.data?.allowed ?? ""}`;
  const isConfirmed = forecast.data?.destroys !== true || typed === word;
  return (
    <Sheet label={`${command}, for many`} onClose={onClose}>
      <form
        className="sheet"
        onSubmit={(event) => {
          event.preventDefault();
          run.mutate(input);
        }}
      >
        <h1>{command}</h1>
        {run.data ? (
          <BulkResult id={run.data.id} />
        ) : (
          <>
            {args && <CommandArgs args={wanted} values={args} onChange={setArgs} />}
            <Panel query={forecast}>
              {({ allowed, total, reasons }) => (
                <>
                  <p>
                    <b>{allowed}</b> of {total} will be asked to {command}
                    {total > allowed && <>; {total - allowed} cannot:</>}
                  </p>
                  {reasons.length > 0 && (
                    <ul className="writes">
                      {reasons.map(({ sentence, count }) => (
                        <li key={sentence}>
                          <span className="verb">× {count}</span>
                          <span>{sentence}</span>
                        </li>
                      ))}
                    </ul>
                  )}
                </>
              )}
            </Panel>
            {forecast.data?.destroys && forecast.data.allowed > 0 && (
              <label className="field">
                <span>
                  This takes something away from each. Type <b>{word}</b> to go on.
                </span>
                <input
                  type="text"
                  value={typed}
                  autoComplete="off"
                  spellCheck={false}
                  onChange={(event) => setTyped(event.target.value)}
                />
              </label>
            )}
          </>
        )}
        {run.error && (
          <p role="alert" className="panel-note bad">
            {run.error.message}
          </p>
        )}
        <footer>
          <button type="button" onClick={onClose}>
            {run.data ? "Close" : "Cancel"}
          </button>
          {!run.data && (
            <button
              type="submit"
              className={forecast.data?.destroys ? "danger" : "main"}
              disabled={!forecast.data?.allowed || forecast.isFetching || !isConfirmed || run.isPending}
            >
              {word}
            </button>
          )}
        </footer>
      </form>
    </Sheet>
  );
}
