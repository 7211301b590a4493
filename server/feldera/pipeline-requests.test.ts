import { expect, test } from "vitest";
import { feldera } from "@/machines/feldera/family";
import { pipelineSchema, type Pipeline } from "@/machines/feldera/pipeline.schema";
import { allPlaces, seenAt } from "./fixtures/places";
import { testOptions } from "./fixtures/pipelines";
import { answerOf, requests, type Asking, type Place } from "./fixtures/request-table";
import type { PipelineSeen } from "./pipeline.read";
import { createPipelineReconciler } from "./pipeline.reconciler";
import { promised } from "./promised-status";
import { refusedCommand } from "./rest/refused-command";
import { wishesOf } from "./wishes";

const reconciler = createPipelineReconciler(testOptions);
const kind = feldera.kinds.pipeline;

type Asked = { at: Place; asked: Asking; answer: string; before: Pipeline; after: Pipeline };

/** What the machines answer in every place to every request, and the pipeline that it leaves. */
const all: Asked[] = allPlaces().flatMap((at) => {
  const seen = seenAt(at);
  return requests.map((asked) => ({ at, asked, ...ask(seen, asked) }));
});

function ask(seen: PipelineSeen, asked: Asking): Pick<Asked, "answer" | "before" | "after"> {
  const { steps, effects } = reconciler.compute(seen, asked, 0);
  const patches = effects.flatMap((effect) => (effect.type === "patchSpec" ? [effect.patch] : []));
  const accepted = Object.values(steps).some(({ actions }) => actions.length > 0);
  const refusal = { code: "state", sentence: "", reason: null } as const;
  return {
    answer: accepted
      ? "accepted"
      : (refusedCommand({ kind, reconciler, resource: seen.pipeline, seen, now: 0 }, asked, refusal)?.code ?? "none"),
    before: seen.pipeline,
    after: patches.reduce<Pipeline>(patched, seen.pipeline),
  };
}

function patched(pipeline: Pipeline, { spec }: { spec?: Record<string, unknown> }): Pipeline {
  const { deployment, ...rest } = spec ?? {};
  const changed = { ...pipeline.spec, ...rest, deployment: { ...pipeline.spec.deployment, ...(deployment ?? {}) } };
  return pipelineSchema.parse({ ...pipeline, spec: changed });
}

test("every request in every place is answered as the tables say", () => {
  const wrong = all
    .map(({ at, asked, answer }) => ({ at, asked, answer, expected: answerOf(at, asked) }))
    // Without an error there is nothing to dismiss, which is no refusal.
    .filter(({ at, asked }) => asked.type !== "dismissError" || at.error)
    .filter(({ answer, expected }) => answer !== expected);
  expect(wrong).toEqual([]);
});

test("a refused request changes nothing", () => {
  const refused = all.filter(({ answer }) => answer !== "accepted");
  expect(refused.filter(({ before, after }) => before !== after)).toEqual([]);
});

/** What an accepted request makes wanted at once, before any pass. */
const outcomes: Record<string, (at: Place, asked: Asking, after: Pipeline) => [unknown, unknown][]> = {
  start: (at, { initial }, after) => [
    [promised(after, 0).status.deployment_resources_desired_status, "Provisioned"],
    [promised(after, 0).status.deployment_initial?.toLowerCase(), initial],
    ...(at.desired === "Stopped"
      ? [[promised(after, 0).status.deployment_error, undefined] as [unknown, unknown]]
      : []),
  ],
  stop: (at, { force }, after) =>
    force === true || at.resources !== "Provisioned"
      ? [[promised(after, 0).status.deployment_resources_desired_status, "Stopped"]]
      : [[wishesOf(after).runtime, "Suspended"]],
  clear: (at, _asked, after) => [
    [promised(after, 0).status.storage_status, at.storage === "Cleared" ? "Cleared" : "Clearing"],
  ],
  pause: (_at, _asked, after) => [[wishesOf(after).runtime, "Paused"]],
  resume: (_at, _asked, after) => [[wishesOf(after).runtime, "Running"]],
  activate: (_at, { initial }, after) => [[wishesOf(after).runtime?.toLowerCase(), initial]],
  dismissError: (_at, _asked, after) => [[promised(after, 0).status.deployment_error, undefined]],
};

test("an accepted request is seen in what is wanted at once", () => {
  const wrong = all
    .filter(({ answer }) => answer === "accepted")
    .flatMap(({ at, asked, after }) =>
      (outcomes[asked.type]?.(at, asked, after) ?? []).map((pair) => ({ at, asked, pair })),
    )
    .filter(({ pair: [found, expected] }) => found !== expected);
  expect(wrong).toEqual([]);
});
