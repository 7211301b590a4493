"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ResourceRef } from "../paths";
import { announce } from "../shell/announcer";
import { useTRPC } from "../trpc";

/** The same, for somebody else: as a link, for kubectl, as a call of the API. */
export function CopyMenu(ref: ResourceRef) {
  const [copied, setCopied] = useState<string | null>(null);
  const { data: machines = [] } = useQuery(useTRPC().machines.list.queryOptions());
  const resource = machines.find(({ kind }) => kind === ref.kind)?.resource ?? "";
  const input = encodeURIComponent(JSON.stringify(ref));
  const texts: Record<string, () => string> = {
    link: () => location.href,
    kubectl: () => `kubectl get ${resource} ${ref.name}${ref.namespace ? ` -n ${ref.namespace}` : ""} -o yaml`,
    "API call": () => `curl '${location.origin}/api/v1/resource.explain?input=${input}'`,
  };
  return (
    <span className="ev copy" role="group" aria-label="Copy as">
      copy as
      {Object.entries(texts).map(([name, textOf]) => (
        <button
          key={name}
          className="quiet"
          onClick={() => {
            void navigator.clipboard.writeText(textOf()).then(() => {
              setCopied(name);
              announce(`copied as ${name}`);
            });
          }}
        >
          {name}
          {copied === name && " ✓"}
        </button>
      ))}
    </span>
  );
}
