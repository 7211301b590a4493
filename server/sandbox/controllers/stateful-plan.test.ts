import { describe, expect, test } from "vitest";
import { type Pod } from "@/server/sandbox/objects/pod";
import { type StatefulSet } from "@/server/sandbox/objects/workload";
import { planStatefulSet, type StatefulSeen, statefulStatus } from "./stateful-plan";

type PodState = "ready" | "unready" | "leaving" | "failed";

function pod(ordinal: number, state: PodState, revision: string): Pod {
  const ready = state === "ready" || state === "leaving";
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `web-${ordinal}`,
      uid: `uid-${ordinal}`,
      labels: { "controller-revision-hash": revision },
      ...(state === "leaving" ? { deletionTimestamp: "2020-01-01T00:00:00Z" } : {}),
    },
    spec: { containers: [] },
    status: {
      phase: state === "failed" ? "Failed" : "Running",
      conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: "2020-01-01T00:00:00Z" }],
    },
  };
}

/** `new`/`old` by letter: R ready, r ready on the old revision, U unready, L leaving, F failed, . absent. */
const letters: Record<string, [PodState, string] | null> = {
  R: ["ready", "new"],
  r: ["ready", "old"],
  U: ["unready", "new"],
  u: ["unready", "old"],
  L: ["leaving", "new"],
  F: ["failed", "new"],
  ".": null,
};

function seen(pods: string, spec: Partial<StatefulSet["spec"]> = {}, current = "new"): StatefulSeen {
  const set: StatefulSet = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "web", uid: "set", generation: 1 },
    spec: { replicas: 3, selector: {}, template: { spec: { containers: [] } }, ...spec },
    status: { replicas: 0 },
  };
  const made = Array.from(pods, (letter, ordinal) => {
    const state = letters[letter];
    return state ? [pod(ordinal, ...state)] : [];
  });
  return { set, pods: made.flat(), current, update: "new", now: Date.parse("2020-01-01T01:00:00Z") };
}

const steps = (state: StatefulSeen) =>
  planStatefulSet(state).map((step) =>
    step.do === "delete" ? `delete ${step.pod.metadata.name}` : `${step.do} ${step.ordinal}`,
  );
const parallel = { podManagementPolicy: "Parallel" } as const;

describe("the next steps of a StatefulSet", () => {
  // prettier-ignore
  test.each([
    // pods    what is asked for                     what is done
    ["...",   {},                                    ["create 0"]],
    ["...",   parallel,                              ["create 0", "create 1", "create 2"]],
    ["U..",   {},                                    []],
    ["U..",   parallel,                              ["create 1", "create 2"]],
    ["R..",   {},                                    ["create 1"]],
    ["RL.",   {},                                    []],
    [".RR",   {},                                    ["create 0"]],
    ["RF.",   {},                                    ["delete web-1"]],
    ["RRR",   {},                                    []],
    ["RRRRR", {},                                    ["delete web-4"]],
    ["RRRRL", {},                                    []],
    ["RRRRR", parallel,                              ["delete web-4", "delete web-3"]],
    ["RURR",  {},                                    []],
    ["RRRU",  {},                                    ["delete web-3"]],
    ["rrr",   {},                                    ["delete web-2"]],
    ["rrU",   {},                                    []],
    ["rrR",   {},                                    ["delete web-1"]],
    ["rrr",   { updateStrategy: { type: "OnDelete" } }, []],
    ["rrR",   { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } }, []],
    ["r",     { replicas: 0 },                       ["delete web-0"]],
  ] as const)("%s, %o → %o", (pods, spec, expected) => {
    expect(steps(seen(pods, spec, pods.includes("r") ? "old" : "new"))).toEqual(expected);
  });

  test("a pod below the partition comes back on its old revision", () => {
    const state = seen("...", { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } }, "old");
    expect(planStatefulSet(state)).toEqual([{ do: "create", ordinal: 0, revision: "old" }]);
  });

  test("a set that is being deleted does nothing more", () => {
    const state = seen("R..");
    const set = { ...state.set, metadata: { ...state.set.metadata, deletionTimestamp: "2020-01-01T00:00:00Z" } };
    expect(planStatefulSet({ ...state, set })).toEqual([]);
  });

  test("the new revision becomes the current one when every pod is on it and ready", () => {
    expect(statefulStatus(seen("rrR", {}, "old"), 0)).toMatchObject({
      currentRevision: "old",
      currentReplicas: 2,
      updatedReplicas: 1,
      readyReplicas: 3,
    });
    expect(statefulStatus(seen("RRR", {}, "old"), 0)).toMatchObject({
      currentRevision: "new",
      currentReplicas: 3,
      updatedReplicas: 3,
    });
  });
});
