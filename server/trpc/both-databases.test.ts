import { callTRPCProcedure } from "@trpc/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bothHomes, type Home } from "@/server/db/fixtures/both-homes";
import { procedures } from "@/server/http/procedures";
import { createPipeline } from "@/server/resources/fixtures/feldera";
import { createEngine, createNamespace, createReadyInstance, settleEngine } from "@/server/resources/fixtures/firebolt";
import { admin, createStage, type Stage } from "@/server/resources/fixtures/stage";
import { until } from "@/server/testing/until";
import { appRouter } from "./root";

const engine = { kind: "firebolt.engine", namespace: "shop", name: "analytics" };
const homes: Home[] = [];
const stages: Stage[] = [];
const jobs: string[] = [];

beforeAll(async () => {
  for (const [, open] of bothHomes) {
    const home = await open();
    homes.push(home);
    const stage = await createStage({ reads: "memory", database: home.database });
    stages.push(stage);
    jobs.push(await live(stage));
  }
});
afterAll(async () => {
  for (const stage of stages) await stage.stop();
  for (const home of homes) await home.close();
});

/** The same story in each home: resources of two families, a roll, commands allowed and refused, a bulk job. */
async function live(stage: Stage): Promise<string> {
  await createNamespace(stage, "shop");
  await createReadyInstance(stage, "shop");
  for (const name of ["analytics", "idle"]) await createEngine(stage, { namespace: "shop", name }, {}, { team: name });
  await createPipeline(stage, { namespace: "shop", name: "orders" });
  for (const name of ["analytics", "idle"]) await settleEngine(stage, { namespace: "shop", name });
  for (let pass = 0; pass < 3; pass++) await stage.passOver("feldera.pipeline", { namespace: "shop", name: "orders" });
  await stage.projection.settled();
  await stage.clock.advance(60_000);
  const commands = [
    { command: "scale", args: { replicas: 2 } },
    { command: "scale", args: { replicas: "two" } },
  ];
  for (const [at, asked] of commands.entries())
    await stage.as().resource.command({ ...engine, ...asked, idempotencyKey: `same-story-${at}` });
  await settleEngine(stage, engine);
  await stage.projection.settled();
  const { id } = await stage.as().bulk.run({ command: "stop", of: { filter: { labels: { team: "idle" } } } });
  await until("the job is done", async () => (await stage.as().bulk.get({ id })).state === "done");
  await settleEngine(stage, { namespace: "shop", name: "idle" });
  await stage.projection.settled();
  return id;
}

/** What each query is asked, more than once where its statement differs. */
const questions: Record<string, readonly ((stage: Stage, job: string) => Promise<object> | object)[]> = {
  "fleet.page": [
    () => ({}),
    () => ({ labels: { team: "idle" }, sort: "name", direction: "desc" }),
    () => ({ text: "ORDERS", tones: ["idle", "busy", "good"], states: ["program=Pending", "stable"] }),
    () => ({ family: "firebolt", namespaces: ["shop"], sort: "since", limit: 1 }),
  ],
  "fleet.lately": [() => ({})],
  "resource.get": [() => engine],
  "resource.explain": [() => engine],
  "resource.preview": [() => ({ ...engine, command: "stop" })],
  "resource.history": [() => engine, () => ({ ...engine, movesOnly: true, limit: 2 })],
  "resource.digest": [() => engine],
  "resource.asOf": [
    async (stage) => {
      const { transitions } = await stage.as().resource.history(engine);
      return { ...engine, id: transitions.at(-1)?.id };
    },
  ],
  "resource.generations": [() => engine],
  "resource.events": [() => engine],
  "resource.objects": [() => engine],
  "resource.yaml": [() => engine],
  "resource.wait": [() => ({ ...engine, states: ["stable", "draining"] })],
  "machines.list": [() => ({})],
  "machines.pictures": [() => ({})],
  "machines.get": [() => ({ kind: "firebolt.engine" })],
  "machines.flow": [() => ({ kind: "firebolt.engine", lifecycle: "phase" })],
  "commands.page": [() => ({}), () => ({ of: engine, actor: admin.name, limit: 1 })],
  "bulk.forecast": [() => ({ command: "stop", of: { filter: { kinds: ["firebolt.engine"] } } })],
  "bulk.get": [(_stage, id) => ({ id })],
  whoami: [() => ({})],
};

test("every query is asked", () => {
  const queries = [...procedures.values()].filter(({ type }) => type === "query").map(({ path }) => path);
  expect(Object.keys(questions).sort()).toEqual(queries.sort());
});

test.each(Object.entries(questions))("%s answers alike, embedded and on a server", async (path, asked) => {
  for (const question of asked) {
    const [embedded, server] = await Promise.all(
      stages.map(async (stage, at) => {
        const input = await question(stage, jobs[at] ?? "");
        const answer: unknown = await callTRPCProcedure({
          router: appRouter,
          path,
          type: "query",
          ctx: { services: stage.services, identity: admin },
          getRawInput: async () => input,
          signal: undefined,
          batchIndex: 0,
        });
        return alike(answer);
      }),
    );
    expect(server).toEqual(embedded);
  }
});

/** Without what is given at random, and numbers that depend on which of two resources was written first. */
function alike(answer: unknown): unknown {
  const text = JSON.stringify(answer)
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
    .replace(/"(version|nextCursor|id|firstId|lastId|resourceVersion|order)":"[\w=+/-]+"/g, '"$1":"<number>"')
    .replace(/(resourceVersion: \\")\d+/g, "$1<number>");
  return JSON.parse(text);
}
