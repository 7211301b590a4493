import { apis } from "@/server/kubernetes/apis";
import { type ClusterUnderTest, userClient } from "@/server/testing/cluster-under-test";
import { differences, type EndState, endStateOf } from "@/server/testing/end-state";
import { type FaultPlan, plansFor, sampleOf, seedOf } from "@/server/testing/faults";
import { type Scenario, type User } from "@/server/testing/scenario";
import { createStage, type Stage } from "@/server/testing/stage";

export type Exploration = {
  scenario: string;
  /** How many places and faults there are, and how many of them were tried. */
  plans: number;
  ran: number;
  /** Tried, but the run never came to that place. */
  missed: number;
  divergences: Divergence[];
};
export type Divergence = { seed: string; problems: string[] };

export type Run = {
  end: EndState;
  writes: number;
  events: number;
  fired: boolean;
  problems: string[];
  /** For each step, and before the first, how long after it the last thing happened. */
  paceMs: readonly number[];
};

/** Longer than any wait of ours: a request without an answer, a silent watch, the first retries. */
const SETTLE_MS = 180_000;
/** After the last thing that is to happen: two looks at a process. */
const SLACK_MS = 5_000;
/** After the last step: longer than the longest wait, and a last look that nothing is written any more. */
const REST_MS = 600_000;
const LOOK_MS = 300_000;
/** About one fault for each place, all kinds in turn: keeps the unit suite fast. ORRERY_EXPLORE=all runs every plan. */
const SAMPLE = 72;
/** In the place of a seed: the run without any fault. */
const CLEAN = "clean";

let runs = 0;

/** What to try: everything, one seed again, or what a test picks; nothing: an even sample. */
export type Wanted = {
  seed?: string;
  all?: true;
  only?: (plan: FaultPlan) => boolean;
  /** Tried first: the places close to this number. */
  near?: number;
  /** Enough once a run shows this. */
  stopAt?: RegExp;
  /** Compared with instead of a clean run of this scenario. */
  baseline?: Run;
};

/** Tells the story clean, then with one fault at a time, and compares where each ends. */
export async function explore(
  scenario: Scenario,
  cluster: ClusterUnderTest,
  wanted: Wanted = wantedByEnvironment(),
): Promise<Exploration> {
  const baseline = wanted.baseline ?? (await playClean(scenario, cluster));
  const all = plansFor(baseline);
  const divergences: Divergence[] = [];
  let [ran, missed] = [0, 0];
  // Once more without a fault: what differs then would differ for no reason. Whoever brings a baseline knows that already.
  const left = [...(wanted.baseline ? [] : [null]), ...chosenOf(all, scenario, wanted)];
  const playOn = async () => {
    for (let plan = left.shift(); plan !== undefined; plan = left.shift()) {
      const problemsOf = ({ problems, end }: Run) => [...problems, ...differences(baseline.end, end)];
      const brisk = await play(scenario, cluster, plan, baseline.paceMs);
      // A step may have come too early for a world that was late: only what is wrong without any hurry is wrong.
      const run = problemsOf(brisk).length === 0 ? brisk : await play(scenario, cluster, plan);
      if (plan) ran++;
      if (plan && !run.fired) missed++;
      const problems = problemsOf(run);
      if (problems.length === 0) continue;
      divergences.push({ seed: plan ? seedOf(plan) : CLEAN, problems });
      if (wanted.stopAt?.test(problems.join("\n")) || !plan) left.length = 0;
    }
  };
  await Promise.all(Array.from({ length: cluster.plays }, playOn));
  return told({ scenario: scenario.name, plans: all.length, ran, missed, divergences });
}

/** The run that all others are compared with. */
export async function playClean(scenario: Scenario, cluster: ClusterUnderTest): Promise<Run> {
  const client = userClient(cluster);
  try {
    await scenario.prepare?.(client);
  } finally {
    await client.close();
  }
  return play(scenario, cluster, null);
}

/** ORRERY_EXPLORE is "all", or the seed of one plan. */
function wantedByEnvironment(): Wanted {
  const { ORRERY_EXPLORE: wanted } = process.env;
  if (!wanted) return {};
  return wanted === "all" ? { all: true } : { seed: wanted };
}

function chosenOf(plans: FaultPlan[], scenario: Scenario, { all, seed, only, near = 0 }: Wanted): FaultPlan[] {
  if (all) return plans;
  if (seed) return plans.filter((plan) => seedOf(plan) === seed);
  if (only) return plans.filter(only).sort((a, b) => Math.abs(a.number - near) - Math.abs(b.number - near));
  return sampleOf(plans, scenario.sample ?? SAMPLE);
}

/** With the pace of a clean run, time is given only to the step that the fault befalls; else as much to each. */
async function play(
  scenario: Scenario,
  cluster: ClusterUnderTest,
  plan: FaultPlan | null,
  paceMs: readonly number[] = [],
): Promise<Run> {
  const client = userClient(cluster);
  const namespace = `explore-${process.pid}-${++runs}`;
  await client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const { clock, connection: upstream, bytesWritten, isIdle: clusterIsIdle } = cluster;
  const stage = await createStage({ scenario, plan, upstream, clock, namespace, bytesWritten, clusterIsIdle });
  const user: User = {
    client,
    namespace,
    rest: () => cluster.pass(stage, 0),
  };
  const problems: string[] = [];
  const rested: number[] = [];
  const settle = async () => {
    const [before, fired, settleMs] = [clock.monotonic(), stage.fired(), scenario.settleMs ?? SETTLE_MS];
    const briefMs = Math.min(settleMs, (paceMs[rested.length] ?? settleMs) + SLACK_MS);
    await cluster.pass(stage, briefMs);
    if (stage.fired() !== fired) await cluster.pass(stage, settleMs - briefMs);
    rested.push(Math.max(0, stage.newsAtMs() - before));
  };
  try {
    stage.start();
    await settle();
    for (const [index, step] of scenario.steps.entries()) {
      await step(user).catch((error: unknown) =>
        problems.push(`step ${index + 1} found no world to act on: ${String(error)}`),
      );
      await settle();
    }
    await cluster.pass(stage, REST_MS);
    const before = stage.writes.length;
    // Nothing has changed: looked at once more, nothing may be written.
    await wakeAll(scenario, stage, user);
    await cluster.pass(stage, LOOK_MS);
    if (stage.writes.length > before)
      problems.push(`it does not come to rest: ${describe(stage.writes.slice(before))}`);
    problems.push(...stage.violations());
    const end = await endStateOf(client, namespace, scenario.compared, stage.writes);
    const [writes, events, fired] = [stage.writes.length, stage.events(), stage.fired()];
    return { end, writes, events, fired, problems, paceMs: rested };
  } finally {
    await stage.stop();
    await cluster.clear(namespace, scenario.compared);
    await client.close();
  }
}

async function wakeAll(scenario: Scenario, stage: Stage, { client, namespace }: User): Promise<void> {
  for (const { id, kind } of Object.values(scenario.reconcilers())) {
    const { items } = await client.list(kind.api, { namespace });
    for (const { metadata } of items) stage.wake(id, { namespace: metadata.namespace ?? "", name: metadata.name });
  }
}

function describe(writes: readonly { method: string; path: string }[]): string {
  return writes
    .map(({ method, path }) => `${method} ${path}`)
    .slice(0, 5)
    .join(", ");
}

function told(exploration: Exploration): Exploration {
  const { scenario, plans, ran, missed, divergences } = exploration;
  const lines = [
    `explored "${scenario}": ${ran} of ${plans} plans, ${missed} of them never reached, ${divergences.length} diverged`,
    ...divergences.flatMap(({ seed, problems }) => [
      `  ${seed} (replay: npm run explore -- "${seed}" "${scenario}")`,
      ...problems.map((problem) => `    ${problem}`),
    ]),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return exploration;
}
