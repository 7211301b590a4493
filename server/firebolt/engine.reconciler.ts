import { type Engine } from "@/machines/firebolt/engine.schema";
import { firebolt } from "@/machines/firebolt/family";
import { apis } from "@/server/kubernetes/apis";
import { defineReconciler, type Watch } from "@/server/reconcile/reconciler";
import { computeEngine } from "./engine.compute";
import { knownOfEngine } from "./engine.facts";
import { ofItsClass, ofItsParts, ofItsPods, onItsInstance, whileDraining } from "./engine-wakes";
import { refusedWrite } from "./refused-write";
import { type EngineOptions, type EngineSeen, generationApis, readEngine } from "./engine.read";
import { labels } from "./generation-names";

export function createEngineReconciler(options: EngineOptions) {
  return defineReconciler<Engine, EngineSeen>({
    id: "firebolt.engine",
    kind: firebolt.kinds.engine,
    watches: [
      ...generationApis.map((api): Watch => ({ api, labelSelector: labels.engine, keysOf: ofItsParts })),
      { api: apis.pod, labelSelector: labels.engine, keysOf: ofItsPods },
      { api: apis.endpoints, labelSelector: labels.engine, keysOf: whileDraining },
      // Claims are only looked at when their generation goes.
      { api: apis.persistentVolumeClaim, labelSelector: labels.engine, keysOf: () => [] },
      { api: firebolt.kinds.instance.api, keysOf: onItsInstance },
      { api: firebolt.kinds.engineClass.api, keysOf: ofItsClass },
    ],
    makes: {
      apis: [...generationApis, apis.pod, apis.persistentVolumeClaim],
      labelsOf: ({ name }) => ({ [labels.engine]: name }),
    },
    read: (engine, world) => readEngine(engine, world, options),
    known: (seen) => ({ phase: knownOfEngine(seen) }),
    compute: computeEngine,
    statusOfFailure: refusedWrite,
  });
}
