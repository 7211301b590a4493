import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds, type KindId } from "@/machines/families";
import { metaOf, statesOf, type CommandArg } from "@/machines/lifecycle";
import { createProcesses } from "./fixtures/feldera";
import { createNamespace, createReadyInstance } from "./fixtures/firebolt";
import { grant, person } from "./fixtures/roles";
import { scenes } from "./fixtures/scenes";
import { admin, createStage, type Stage } from "./fixtures/stage";

const roles = { ada: admin, vera: person("vera"), olga: person("olga"), nora: person("nora") };

let stage: Stage;
let processes: Awaited<ReturnType<typeof createProcesses>>;
beforeAll(async () => {
  stage = await createStage({ reads: "memory" });
  processes = await createProcesses(stage);
  await createNamespace(stage, "shop");
  await createReadyInstance(stage, "shop");
  // vera sees everything and may do nothing; olga may start and stop; nora may nothing at all.
  await grant(stage, roles.vera, ["get", "list"]);
  await grant(stage, roles.olga, ["get", "list", "start", "stop"], "shop");
});
afterAll(async () => {
  processes.stop();
  await stage.stop();
});

/** Each command with the arguments that its machine declares. */
function commandsOf(kind: KindId): Map<string, Record<string, CommandArg>> {
  const machines = Object.values(kinds[kind].lifecycles).filter(({ composedOf }) => !composedOf);
  const all = machines.flatMap(({ machine }) => Object.entries(metaOf(machine).commands));
  return new Map(all.map(([command, { args = {} }]) => [command, args]));
}

/** As little as may be said first, then each argument turned to something else. */
function argsFor(declared: Record<string, CommandArg>): Record<string, unknown>[] {
  const owed = Object.fromEntries(
    Object.entries(declared).flatMap(([name, arg]) => (arg.default === undefined ? [[name, arg.suggested]] : [])),
  );
  const others = Object.entries(declared).flatMap(([name, { type, options }]) => {
    const values: unknown[] = type === "boolean" ? [true, false] : [...(options ?? [])];
    return values.map((value) => ({ ...owed, [name]: value }));
  });
  return [owed, ...others];
}

let keys = 0;
/** What was met on the way: a property that only ever saw a no would prove nothing. */
const met = new Map<string, Set<string>>();

describe("what resource.get offers is what preview and bulk forecast, and what command accepts", () => {
  test.each(scenes)("for every command and every role, of a $kind that is $title", async ({ kind, make }) => {
    const at = { namespace: "shop", name: `scene-${keys++}` };
    const ref = { kind, ...at };
    await make({ stage, at, process: processes.start });
    const { spec } = await stage.client.get(kinds[kind].api, at);
    for (const [role, identity] of Object.entries(roles)) {
      const caller = stage.as(identity);
      const offers = await caller.resource.get(ref).then(
        ({ commands }) => commands,
        () => null,
      );
      for (const [command, declared] of commandsOf(kind)) {
        const offer = offers?.find((one) => one.command === command);
        let isAccepted = false;
        for (const args of argsFor(declared)) {
          const [forecast] = (await caller.bulk.forecast({ command, args, of: { refs: [ref] } })).items;
          const preview = offers && (await caller.resource.preview({ ...ref, command, args }));
          const answer = await caller.resource.command({
            ...ref,
            command,
            args,
            idempotencyKey: `agreement-${keys++}`,
          });
          const refusal = answer.accepted ? null : answer.refusal;
          const who = `${role} ${command} ${JSON.stringify(args)}`;
          if (offer) expect([forecast?.refusal, preview?.refusal], who).toEqual([refusal, refusal]);
          else expect([forecast?.refusal?.code, refusal?.code], who).toEqual(["permission", "permission"]);
          if (offer?.refusal) expect(refusal, who).toEqual(offer.refusal);
          met.set(`${kind} ${command}`, (met.get(`${kind} ${command}`) ?? new Set()).add(refusal?.code ?? "accepted"));
          if (!answer.accepted) continue;
          isAccepted = true;
          await restore(kind, at, spec);
          break;
        }
        // Arguments may turn a yes into a no, as when a checkpoint is not possible; then others make it a yes again.
        expect(isAccepted, `${role} ${command}`).toBe(offer?.allowed ?? false);
      }
    }
  });

  test("every kind with commands was there, in every state of every lifecycle that has some", async () => {
    for (const [kind, { api, lifecycles }] of Object.entries(kinds)) {
      if (commandsOf(kind as KindId).size === 0) continue;
      const { items } = await stage.client.list(api, { namespace: "shop" });
      const resources = items.map((object) => kinds[kind as KindId].schema.parse(object));
      for (const lifecycle of Object.values(lifecycles)) {
        const { machine, composedOf } = lifecycle;
        if (composedOf || Object.keys(metaOf(machine).commands).length === 0) continue;
        expect([...new Set(resources.map((resource) => lifecycle.stateOf(resource)))].sort()).toEqual(
          statesOf(machine).sort(),
        );
      }
    }
  });

  test("and every command was accepted somewhere, refused by a state elsewhere, and refused for want of a right", () => {
    for (const [command, codes] of met)
      expect([...codes], command).toEqual(expect.arrayContaining(["accepted", "permission"]));
    const byState = [...met].filter(([, codes]) => codes.has("state")).map(([command]) => command);
    expect(byState.length).toBeGreaterThanOrEqual(met.size - 1);
  });
});

/** Back to where it was, for the next command. */
async function restore(
  kind: KindId,
  at: { namespace: string; name: string },
  spec: Record<string, unknown> | undefined,
) {
  const { api } = kinds[kind];
  await stage.client.replace(api, { ...(await stage.client.get(api, at)), spec: spec ?? {} });
}
