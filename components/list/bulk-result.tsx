"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";

/** What happened to each, as the server gets on with it. */
export function BulkResult({ id }: { id: string }) {
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
              <button type="button" className="quiet" onClick={() => cancel.mutate({ id })}>
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
