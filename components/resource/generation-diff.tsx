"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { GenerationAnswer } from "../answers";
import type { ResourceRef } from "../paths";
import { Age } from "../time/age";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";
import { diffLines } from "./diff-lines";

/** What changed in what was asked for, between any two generations that are kept; the last change unless told. */
export function GenerationDiff({ resource, upTo }: { resource: ResourceRef; upTo: number | null }) {
  const kept = useQuery(useTRPC().resource.generations.queryOptions({ ...resource, limit: 30 }));
  return (
    <Panel query={kept} empty={{ when: (all) => all.length === 0, say: "No generation was written down yet." }}>
      {(all) => <Between all={all} upTo={upTo} />}
    </Panel>
  );
}

function Between({ all, upTo }: { all: GenerationAnswer[]; upTo: number | null }) {
  const [chosen, setChosen] = useState<{ from?: number; to?: number }>({});
  const to = all.find(({ generation }) => generation === (chosen.to ?? upTo)) ?? all[0];
  const from = all.find(({ generation }) => generation === chosen.from) ?? all[all.findIndex((one) => one === to) + 1];
  if (!to) return null;
  return (
    <>
      <div className="chips">
        <Pick label="From" all={all} value={from} onPick={(generation) => setChosen({ ...chosen, from: generation })} />
        <Pick label="To" all={all} value={to} onPick={(generation) => setChosen({ ...chosen, to: generation })} />
        <span className="ev">
          <Age since={to.at} /> ago
        </span>
      </div>
      {!from && <p className="ev">Generation {to.generation} is the first that is known; all of it is new.</p>}
      <pre className="yaml diff" tabIndex={0} aria-label="What changed">
        {diffLines(from?.yaml ?? "", to.yaml).map(({ mark, line }, index) => (
          <span key={index} className={mark === "+" ? "added" : mark === "-" ? "removed" : ""}>
            {mark} {line}
            {"\n"}
          </span>
        ))}
      </pre>
    </>
  );
}

type PickProps = {
  label: string;
  all: GenerationAnswer[];
  value: GenerationAnswer | undefined;
  onPick: (generation: number) => void;
};

function Pick({ label, all, value, onPick }: PickProps) {
  return (
    <label className="ev">
      {label}{" "}
      <select value={value?.generation ?? ""} onChange={(event) => onPick(Number(event.target.value))}>
        {!value && <option value="">nothing</option>}
        {all.map(({ generation }) => (
          <option key={generation} value={generation}>
            generation {generation}
          </option>
        ))}
      </select>
    </label>
  );
}
