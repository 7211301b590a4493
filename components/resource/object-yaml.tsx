"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ResourceRef } from "../paths";
import { useTRPC } from "../trpc";
import { Card } from "../ui/card";
import { Panel } from "../ui/panel";

const parts = ["spec", "status", "all"] as const;

/** The object itself, fetched only when it is opened. */
export function ObjectYaml(ref: ResourceRef) {
  const [part, setPart] = useState<(typeof parts)[number] | null>(null);
  const yaml = useQuery({ ...useTRPC().resource.yaml.queryOptions(ref), enabled: part !== null });
  const tabs = (
    <div className="tabs" role="tablist" aria-label="Part of the YAML">
      {parts.map((one) => (
        <button key={one} role="tab" aria-selected={part === one} onClick={() => setPart(part === one ? null : one)}>
          {one}
        </button>
      ))}
    </div>
  );
  return (
    <Card title="YAML" aside={tabs}>
      {part === null ? (
        <p className="ev">Spec, status or everything, as the cluster has it.</p>
      ) : (
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
