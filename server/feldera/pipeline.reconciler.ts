import { feldera } from "@/machines/feldera/family";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";
import { apis } from "@/server/kubernetes/apis";
import { defineReconciler, ownedBy, type Reconciler } from "@/server/reconcile/reconciler";
import type { FelderaOptions } from "./feldera-options";
import { labels } from "./pipeline-names";
import { computePipeline } from "./pipeline.compute";
import { knownFor } from "./pipeline-commands";
import { readPipeline, type PipelineSeen } from "./pipeline.read";
import { nextInQueue } from "./program-queue";
import { refusedObject } from "./refused-object";

const labelSelector = labels.pipeline;

export function createPipelineReconciler(options: FelderaOptions): Reconciler<Pipeline, PipelineSeen> {
  const kind = feldera.kinds.pipeline;
  const toOwner = ownedBy(kind);
  return defineReconciler({
    id: "feldera.pipeline",
    kind,
    watches: [
      { api: apis.persistentVolumeClaim, labelSelector, keysOf: toOwner },
      { api: apis.configMap, labelSelector, keysOf: toOwner },
      { api: apis.service, labelSelector, keysOf: toOwner },
      { api: apis.statefulSet, labelSelector, keysOf: toOwner },
      { api: apis.job, labelSelector, keysOf: toOwner },
      {
        // A pod belongs to a StatefulSet or a Job; its label says whose those are.
        api: apis.pod,
        labelSelector,
        keysOf: ({ metadata }) => [
          { namespace: metadata.namespace ?? "", name: metadata.labels?.[labels.pipeline] ?? "" },
        ],
      },
      {
        // A compiler that has become free takes the next program.
        api: kind.api,
        keysOf: async (_object, world) => nextInQueue(await world.list(kind.api)),
      },
    ],
    makes: {
      apis: [apis.persistentVolumeClaim, apis.configMap, apis.service, apis.statefulSet, apis.job, apis.pod],
      labelsOf: ({ name }) => ({ [labels.pipeline]: name }),
    },
    read: (pipeline, world) => readPipeline(pipeline, world, options),
    known: knownFor,
    compute: computePipeline,
    statusOfFailure: refusedObject,
  });
}
