"use client";
import { useQuery } from "@tanstack/react-query";
import type { TreeNode } from "@/server/resources/object-answers";
import type { ResourceRef } from "../paths";
import { Age } from "../time/age";
import { ToneIcon } from "../tone/tone-icon";
import { useTRPC } from "../trpc";
import { Card } from "../ui/card";
import { Panel } from "../ui/panel";

export function OwnedObjects(ref: ResourceRef) {
  const objects = useQuery(useTRPC().resource.objects.queryOptions(ref));
  return (
    <Card title="Owned objects">
      <Panel
        query={objects}
        empty={{ when: ({ tree, hidden }) => tree.length + hidden.length === 0, say: "It owns nothing." }}
      >
        {({ tree, hidden }) => (
          <div className="tree">
            <Branch nodes={tree} />
            {hidden.length > 0 && <p className="ev">You may not see its {hidden.join(", ")}.</p>}
          </div>
        )}
      </Panel>
    </Card>
  );
}

function Branch({ nodes }: { nodes: TreeNode[] }) {
  return (
    <ul>
      {nodes.map(({ object, tone, sentence, createdAt, children }) => (
        <li key={`${object.kind}/${object.name}`}>
          <div>
            <span className={tone} style={{ color: "var(--c)" }}>
              <ToneIcon tone={tone} />
            </span>
            <span>
              {object.kind} <b>{object.name}</b>{" "}
              <span className={`${tone} said`} style={{ color: tone === "idle" ? "var(--ink-3)" : "var(--c)" }}>
                {sentence}
              </span>
            </span>
            <span className="r">
              <Age since={createdAt} />
            </span>
          </div>
          {children.length > 0 && <Branch nodes={children} />}
        </li>
      ))}
    </ul>
  );
}
