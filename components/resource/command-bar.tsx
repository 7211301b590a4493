"use client";
import { useState } from "react";
import type { GetAnswer, Offer } from "../answers";
import type { ResourceRef } from "../paths";
import { CommandDialog } from "./command-dialog";

/** Every command of the kind: never hidden, and where it is not allowed, why. */
export function CommandBar({
  resource,
  answer,
  isPast,
}: {
  resource: ResourceRef;
  answer: GetAnswer;
  isPast: boolean;
}) {
  const [asked, setAsked] = useState<string | null>(null);
  const { commands } = answer;
  // A kind names first what brings it to life: that is what one comes for while it is not, and nothing is otherwise.
  const main = commands[0]?.changes ? commands[0].command : null;
  if (commands.length === 0) return <div className="cmds" />;
  return (
    <>
      <menu className="cmds" aria-label="Commands">
        {commands.map((offer) => (
          <li key={offer.command} style={{ listStyle: "none" }}>
            <button
              className={offer.command === main && !isPast ? "main" : ""}
              aria-disabled={!offer.allowed || isPast}
              title={offer.refusal?.sentence ?? offer.summary}
              onClick={() => {
                if (offer.allowed && !isPast) setAsked(offer.command);
              }}
            >
              {offer.title}
              {offer.allowed && "…"}
              {!offer.allowed && <small>{shortReason(offer)}</small>}
              {offer.allowed && !isPast && !offer.changes && <small>changes nothing</small>}
              {offer.allowed && isPast && <small>only now</small>}
            </button>
          </li>
        ))}
      </menu>
      {asked && <CommandDialog {...resource} command={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

const reasonMax = 44;

function shortReason({ refusal }: Offer): string {
  const said = refusal?.reason ?? refusal?.sentence ?? "";
  const first = said.split(/[:;]/)[0] ?? said;
  return first.length > reasonMax ? `${first.slice(0, reasonMax - 1)}…` : first;
}
