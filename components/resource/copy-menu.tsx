"use client";
import { useState } from "react";
import type { ResourceRef } from "../paths";

/** The same, for somebody else: as a link, for kubectl, as a call of the API. */
export function CopyMenu(ref: ResourceRef) {
  const [copied, setCopied] = useState<string | null>(null);
  const texts: Record<string, () => string> = {
    link: () => location.href,
    kubectl: () =>
      `kubectl get ${ref.kind.split(".")[1] ?? ""} ${ref.name}${ref.namespace ? ` -n ${ref.namespace}` : ""} -o yaml`,
    call: () => `curl '${location.origin}/api/trpc/resource.explain?input=${encodeURIComponent(JSON.stringify(ref))}'`,
  };
  return (
    <span className="ev">
      Copy as{" "}
      {Object.entries(texts).map(([name, textOf]) => (
        <button
          key={name}
          className="quiet"
          style={{ padding: "0 4px" }}
          onClick={() => {
            void navigator.clipboard.writeText(textOf()).then(() => setCopied(name));
          }}
        >
          {name}
          {copied === name && " ✓"}
        </button>
      ))}
    </span>
  );
}
