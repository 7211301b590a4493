"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { inferRouterInputs } from "@trpc/server";
import { useState } from "react";
import type { AppRouter } from "@/server/trpc/root";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";
import { Sheet } from "../ui/sheet";

type Bulk = inferRouterInputs<AppRouter>["bulk"]["run"];

/** What would happen to each, before; what happened to each, after. */
export function BulkDialog({ command, of, onClose }: { command: string; of: Bulk["of"]; onClose: () => void }) {
  const trpc = useTRPC();
  const [input] = useState<Bulk>({ command, of });
  const forecast = useQuery({ ...trpc.bulk.forecast.queryOptions(input), staleTime: 0, gcTime: 0 });
  const run = useMutation(trpc.bulk.run.mutationOptions());
  return (
    <Sheet label={`${command}, for many`} onClose={onClose}>
      <div className="sheet">
        <h1>{command}</h1>
        {run.data ? (
          <Result id={run.data.id} />
        ) : (
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
        )}
        {run.error && (
          <p role="alert" className="panel-note bad">
            {run.error.message}
          </p>
        )}
        <footer>
          <button onClick={onClose}>{run.data ? "Close" : "Cancel"}</button>
          {!run.data && (
            <button
              className="main"
              disabled={!forecast.data?.allowed || run.isPending}
              onClick={() => run.mutate(input)}
            >
              {command} {forecast.data?.allowed ?? ""}
            </button>
          )}
        </footer>
      </div>
    </Sheet>
  );
}

function Result({ id }: { id: string }) {
  const trpc = useTRPC();
  const job = useQuery({
    ...trpc.bulk.get.queryOptions({ id }),
    refetchInterval: ({ state }) => (state.data?.state === "running" || !state.data ? 700 : false),
  });
  const cancel = useMutation(trpc.bulk.cancel.mutationOptions());
  return (
    <Panel query={job}>
      {({ state, accepted, refused, waiting, items }) => (
        <>
          <p role="status">
            {accepted} accepted, {refused} refused{waiting > 0 && `, ${waiting} to go`}
            {state === "cancelled" && "; cancelled"}
            {state === "running" && (
              <button className="quiet" onClick={() => cancel.mutate({ id })}>
                Cancel the rest
              </button>
            )}
          </p>
          <ul className="writes">
            {items.map(({ kind, namespace, name, outcome, sentence }) => (
              <li key={`${kind}/${namespace}/${name}`}>
                <span className="verb">{outcome}</span>
                <span>
                  <b>{name}</b> <span className="ev">{sentence ?? namespace}</span>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}
