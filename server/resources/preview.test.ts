import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "@/machines/families";
import { engineMachine } from "@/machines/firebolt/engine.machine";
import { metaOf } from "@/machines/lifecycle";
import { replay } from "@/server/history/replay";
import type { KubernetesObject } from "@/server/kubernetes/object";
import type { Write } from "./answers";
import { createEngine, createNamespace, createReadyInstance, playPods } from "./fixtures/firebolt";
import { createStage, type Stage } from "./fixtures/stage";

const PREVIEWS = 1_000;
const ENGINES = 6;
/** Only ends what hangs. */
const LIMIT_MS = 900_000;
const events = [...Object.keys(metaOf(engineMachine).commands), "observed", "observed", "observed"];

let stage: Stage;
beforeAll(async () => {
  stage = await createStage({ reads: "memory" });
});
afterAll(async () => {
  await stage.projection.settled();
  expect((await replay(stage.database, kinds)).divergences).toEqual([]);
  await stage.stop();
});

const said = ({
  verb,
  sentence,
  object,
}: Pick<Write, "verb" | "sentence"> & { object?: Write["object"] | undefined }) =>
  `${verb} ${object?.kind ?? ""}/${object?.name ?? ""} ${sentence}`;

test(
  `what ${PREVIEWS} previews say is what then happens, in state and in writes, and none of them writes`,
  async () => {
    for (let at = 0; at < ENGINES; at++) {
      await createNamespace(stage, `shop-${at}`);
      await createReadyInstance(stage, `shop-${at}`);
      await createEngine(stage, { namespace: `shop-${at}`, name: "analytics" });
    }
    const random = fc.sample(
      fc.record({
        engine: fc.nat(ENGINES - 1),
        event: fc.constantFrom(...events),
        replicas: fc.nat(3),
        play: fc.constantFrom("nothing", "nothing", "ready", "unready", "instance"),
      }),
      { numRuns: PREVIEWS, seed: 20_261_116 },
    );
    const seen = new Set<string>();
    let writes = 0;
    // Events of commands are recorded a moment later; they are no part of a preview.
    const unwatch = stage.sandbox.cluster.watch("*", ({ object }) => (writes += object.kind === "Event" ? 0 : 1));
    let moves = 0;
    for (const { engine, event, replicas, play } of random) {
      const at = { namespace: `shop-${engine}`, name: "analytics" };
      const ref = { kind: "firebolt.engine", ...at };
      await playOne(play, at);
      const args = event === "scale" ? { replicas } : {};
      const before = writes;
      const preview = await stage.as().resource.preview({ ...ref, command: event, args });
      expect(writes).toBe(before);
      seen.add(`${preview.from.phase ?? ""} ${event} ${preview.allowed}`);
      let asked: Write[] = [];
      if (event !== "observed") {
        const answer = await stage
          .as()
          .resource.command({ ...ref, command: event, args, idempotencyKey: `preview-${moves}` });
        expect(answer.accepted).toBe(preview.allowed);
        if (!answer.accepted) {
          moves++;
          continue;
        }
        asked = preview.writes.filter(({ verb }) => verb === "patch");
        expect(asked).toMatchObject([{ detail: answer.changed }]);
      }
      const outcome = await stage.passOver("firebolt.engine", at);
      const done = outcome.writes.filter(({ outcome: how }) => how !== "unchanged");
      expect(preview.writes.slice(asked.length).map(said)).toEqual(done.map(said));
      const after = kinds["firebolt.engine"].schema.parse(outcome.resourceAfter);
      expect(preview.to).toEqual({ phase: kinds["firebolt.engine"].lifecycles.phase?.stateOf(after) });
      moves++;
    }
    unwatch();
    // It is no test of one lucky state.
    expect(seen.size).toBeGreaterThan(30);
    expect(moves).toBe(PREVIEWS);
  },
  LIMIT_MS,
);

async function playOne(play: string, at: { namespace: string; name: string }): Promise<void> {
  const { namespace } = at;
  if (play === "ready" || play === "unready") await playPods(stage, at, { ready: play === "ready" });
  if (play !== "instance") return;
  const instance: KubernetesObject = await stage.client.get(kinds["firebolt.instance"].api, {
    namespace,
    name: "main",
  });
  const isReady = Boolean(instance.status?.metadataEndpoint);
  await stage.setStatus(instance, {
    metadataEndpoint: isReady ? null : `main-metadata.${namespace}.svc.cluster.local:7000`,
  });
}
