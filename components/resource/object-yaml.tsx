"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ResourceRef } from "../paths";
import { useTRPC } from "../trpc";
import { Card } from "../ui/card";
import { Panel } from "../ui/panel";
import { GenerationDiff } from "./generation-diff";

const parts = ["spec", "status", "all", "changes"] as const;
type Part = (typeof parts)[number];

/** The object itself and what was asked for before, fetched only when opened. At a past moment: the spec in force then. */
export function ObjectYaml({ generation, ...ref }: ResourceRef & { generation: number | null }) {
  const [part, setPart] = useState<Part | null>(null);
  const isObject = part !== null && part !== "changes";
  const yaml = useQuery({ ...useTRPC().resource.yaml.queryOptions(ref), enabled: isObject && generation === null });
  const offered: readonly Part[] = generation === null ? parts : ["changes"];
  const tabs = (
    <div className="tabs" role="group" aria-label="Part of the YAML">
      {offered.map((one) => (
        <button key={one} aria-pressed={part === one} onClick={() => setPart(part === one ? null : one)}>
          {one}
        </button>
      ))}
    </div>
  );
  return (
    <Card
      title="YAML"
      note={generation === null ? undefined : `generation ${generation}`}
      aside={tabs}
      className="yaml-card"
    >
      {part === null && (
        <p className="ev">
          {generation === null
            ? "Spec, status or everything, as the cluster has it; and what changed between two generations."
            : "What was asked for then, and what that had changed."}
        </p>
      )}
      {part === "changes" && <GenerationDiff key={generation} resource={ref} upTo={generation} />}
      {isObject && generation === null && (
        <Panel query={yaml}>
          {({ yaml, redacted }) => (
            <>
              <pre className="yaml" tabIndex={0}>
                {part === "all" ? yaml : sectionOf(yaml, part)}
              </pre>
              {redacted > 0 && <p className="ev">{redacted} values are left out.</p>}
            </>
          )}
        </Panel>
      )}
    </Card>
  );
}

/** The lines of one top-level key. */
function sectionOf(yaml: string, key: string): string {
  const lines = yaml.split("\n");
  const from = lines.findIndex((line) => line.startsWith(`${key}:`));
  if (from < 0) return `${key}: there is none`;
  const length = lines.slice(from + 1).findIndex((line) => /^\S/.test(line));
  return lines.slice(from, length < 0 ? undefined : from + 1 + length).join("\n");
}
