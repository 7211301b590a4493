"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { GetAnswer, Offer } from "../answers";
import type { ResourceRef } from "../paths";
import { announce } from "../shell/announcer";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";
import { Sheet } from "../ui/sheet";
import { CommandArgs, firstArgs } from "./command-args";
import { Preview } from "./preview";

type Props = ResourceRef & { command: string; onClose: () => void };

/** What the command would do, before it is asked for. */
export function CommandDialog({ command, onClose, ...ref }: Props) {
  const got = useQuery(useTRPC().resource.get.queryOptions(ref));
  return (
    <Sheet label={`${command} ${ref.name}`} onClose={onClose}>
      <Panel query={got}>
        {(answer) => {
          const offer = answer.commands.find((one) => one.command === command);
          if (!offer) return <p className="sheet">There is no such command.</p>;
          return <Ask resource={ref} answer={answer} offer={offer} onClose={onClose} />;
        }}
      </Panel>
    </Sheet>
  );
}

function Ask({
  resource,
  answer,
  offer,
  onClose,
}: {
  resource: ResourceRef;
  answer: GetAnswer;
  offer: Offer;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const [args, setArgs] = useState(() => firstArgs(offer.args));
  const [typed, setTyped] = useState("");
  // A second click on the same button is the same request, until it is answered: what was refused may be asked again.
  const [idempotencyKey, setIdempotencyKey] = useState(randomKey);
  const [seenState] = useState(answer.lifecycles.find(({ lifecycle }) => lifecycle === offer.lifecycle)?.state);
  const preview = useQuery({
    ...trpc.resource.preview.queryOptions({ ...resource, command: offer.command, args }),
    staleTime: 0,
    gcTime: 0,
  });
  const send = useMutation(
    trpc.resource.command.mutationOptions({
      onSuccess: (done) => {
        setIdempotencyKey(randomKey());
        if (!done.accepted) return;
        announce(done.sentence);
        onClose();
      },
    }),
  );
  const refusal = send.data?.accepted === false ? send.data.refusal.sentence : (send.error?.message ?? null);
  const isConfirmed = !offer.destroys || typed === resource.name;
  return (
    <form
      className="sheet"
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate({ ...resource, command: offer.command, args, idempotencyKey, ...(seenState && { seenState }) });
      }}
    >
      <h1>
        {offer.title} {resource.name}
      </h1>
      <p className="ev">{offer.summary}.</p>
      <CommandArgs args={offer.args} values={args} onChange={setArgs} />
      <Panel query={preview}>{(answer) => <Preview preview={answer} />}</Panel>
      {offer.destroys && (
        <label className="field">
          <span>
            This takes something away. Type <b>{resource.name}</b> to go on.
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
      {refusal && (
        <p role="alert" className="panel-note bad">
          {refusal}
        </p>
      )}
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="submit"
          className={offer.destroys ? "danger" : "main"}
          disabled={!isConfirmed || send.isPending || preview.data?.allowed === false}
        >
          {send.isPending ? "Asking …" : offer.title}
        </button>
      </footer>
    </form>
  );
}

function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
