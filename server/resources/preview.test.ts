import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds, type KindId } from "@/machines/families";
import { metaOf, type CommandArg } from "@/machines/lifecycle";
import type { Write } from "./command-answers";
import { createPlayers, type Player } from "./fixtures/players";
import { createStage, type Stage } from "./fixtures/stage";
import { lifecycleStates } from "./lifecycle-states";

const PREVIEWS = 1_000;
const RESOURCES = 5;
/** Only ends what hangs. */
const LIMIT_MS = 900_000;

let stage: Stage;
let players: Player[];
beforeAll(async () => {
  stage = await createStage({ reads: "memory" });
  players = await createPlayers(stage);
});
afterAll(async () => {
  for (const player of players) player.stop();
  // Which also folds what is stored of it all through the machines.
  await stage.stop();
});

/** Every command of a kind with the arguments that it declares. */
function commandsOf(kind: KindId): Record<string, Record<string, CommandArg>> {
  const machines = Object.values(kinds[kind].lifecycles).filter(({ composedOf }) => !composedOf);
  const all = machines.flatMap(({ machine }) => Object.entries(metaOf(machine).commands));
  return Object.fromEntries(all.map(([command, { args = {} }]) => [command, args]));
}

function anyOf({ type, options, min = 0 }: CommandArg): fc.Arbitrary<unknown> {
  if (type === "boolean") return fc.boolean();
  return options ? fc.constantFrom(...options) : fc.integer({ min, max: min + 3 });
}

/** Those with a default may be left out. */
function argsOf(declared: Record<string, CommandArg>): fc.Arbitrary<Record<string, unknown>> {
  const values = Object.fromEntries(Object.entries(declared).map(([name, arg]) => [name, anyOf(arg)]));
  const requiredKeys = Object.keys(declared).filter((name) => declared[name]?.default === undefined);
  return fc.record<Record<string, unknown>>(values, { requiredKeys });
}

const said = ({
  verb,
  sentence,
  object,
}: Pick<Write, "verb" | "sentence"> & { object?: Write["object"] | undefined }) =>
  `${verb} ${object?.kind ?? ""}/${object?.name ?? ""} ${sentence}`;

test("every kind that has commands has somebody who plays the world around it", () => {
  const withCommands = (Object.keys(kinds) as KindId[]).filter((kind) => Object.keys(commandsOf(kind)).length > 0);
  expect(players.map(({ kind }) => kind).sort()).toEqual(withCommands.sort());
});

test(
  `what ${PREVIEWS} previews say is what then happens, in state and in writes, and none of them writes`,
  async () => {
    const perKind = Math.ceil(PREVIEWS / players.length);
    for (const [nth, player] of players.entries()) {
      const { kind, plays } = player;
      const commands = commandsOf(kind);
      const steps = fc.sample(
        fc.record({
          at: fc.nat(RESOURCES - 1).map((index) => ({ namespace: `preview-${nth}-${index}`, name: "one" })),
          play: fc.constantFrom("nothing", ...Object.keys(plays)),
          asked: fc.oneof(
            fc.constant({ command: "observed", args: {} }),
            ...Object.entries(commands).map(([command, args]) =>
              fc.record({
                command: fc.constant(command),
                args: argsOf(args),
              }),
            ),
          ),
          passes: fc.nat(1),
        }),
        { numRuns: perKind, seed: 20_261_116 + nth },
      );
      for (const at of new Map(steps.map((step) => [step.at.namespace, step.at])).values()) await player.create(at);
      const seen = new Set<string>();
      let previews = 0;
      for (const { at, play, asked, passes } of steps) {
        await plays[play]?.(at);
        // The world goes on between two looks, or commands would be all that ever happens.
        for (let pass = 0; pass < passes; pass++) await stage.passOver(kind, at);
        seen.add(await previewed({ kind, at, asked, key: `preview-${nth}-${previews++}` }));
      }
      expect(previews).toBe(perKind);
      // It is no test of one lucky state.
      expect(seen.size, [...seen].sort().join("\n")).toBeGreaterThan(30);
    }
  },
  LIMIT_MS,
);

type Previewed = {
  kind: KindId;
  at: { namespace: string; name: string };
  asked: { command: string; args: Record<string, unknown> };
  key: string;
};

/** Previews, asks and makes the pass; what was met, in a word. */
async function previewed({ kind, at, asked: { command, args }, key }: Previewed): Promise<string> {
  const ref = { kind, ...at };
  let writes = 0;
  // Events of commands are recorded a moment later; they are no part of a preview.
  const unwatch = stage.sandbox.cluster.watch("*", ({ object }) => (writes += object.kind === "Event" ? 0 : 1));
  const preview = await stage.as().resource.preview({ ...ref, command, args });
  unwatch();
  expect(writes).toBe(0);
  const met = `${Object.values(preview.from).join("/")} ${command} ${preview.refusal?.code ?? "allowed"}`;
  let asking: Write[] = [];
  if (command !== "observed") {
    const answer = await stage.as().resource.command({ ...ref, command, args, idempotencyKey: key });
    expect(answer.accepted ? null : answer.refusal).toEqual(preview.refusal);
    if (!answer.accepted) return met;
    asking = Object.keys(answer.changed).length > 0 ? preview.writes.slice(0, 1) : [];
    expect(asking.map(({ verb, detail }) => [verb, detail])).toEqual(asking.map(() => ["patch", answer.changed]));
  }
  const outcome = await stage.passOver(kind, at);
  const done = outcome.writes.filter(({ outcome: how }) => how !== "unchanged");
  expect(preview.writes.slice(asking.length).map(said), met).toEqual(done.map(said));
  const after = lifecycleStates(kinds[kind], kinds[kind].schema.parse(outcome.resourceAfter));
  const states = Object.entries(after).map(([name, { state }]) => [name, state]);
  expect(preview.to, met).toEqual(Object.fromEntries(states));
  return met;
}
