import { explain as waysOutOf, type WayOut } from "@/machines/explain";
import type { Known } from "@/machines/facts";
import type { Kind } from "@/machines/kind";
import { metaOf, type Tone } from "@/machines/lifecycle";
import { sentenceOf, sentenceText } from "@/machines/sentence";
import type { KubernetesObject } from "@/server/kubernetes/object";
import type { Cause, ExplainAnswer } from "./explain-answers";
import type { Asked } from "./context";
import { diagnose } from "./diagnose";
import { spokenDuration } from "./duration";
import { mustRead } from "./get";
import { lifecycleStates, worstTone } from "./lifecycle-states";
import { lastPass, liveRow } from "./live-row";
import { ownWords } from "./own-words";
import { ownedBy } from "./owned";
import { nameOf, readResource, type Reading } from "./read-resource";
import type { Ref } from "./ref";
import { Refused } from "./refusal";
import type { Row } from "./row";
import { storedReading } from "./stored-reading";

/** Why a resource is where it is, what comes next, and what each way out waits for; all from one read. */
export async function explain(asked: Asked, ref: Ref): Promise<ExplainAnswer> {
  await mustRead(asked, ref);
  try {
    return await explainLive(asked, ref);
  } catch (error) {
    if (!(error instanceof Refused) || error.refusal.code !== "unavailable") throw error;
    const stored = await storedReading(asked, ref);
    if (!stored) throw error;
    const unknown = [`the cluster does not answer; this is what was read at ${stored.readAt}`];
    return { ...answerOf(stored, { causes: [], unknown }), source: "stored" };
  }
}

async function explainLive(asked: Asked, ref: Ref): Promise<ExplainAnswer> {
  const [reading, last] = await Promise.all([readResource(asked, ref), lastPass(asked, ref)]);
  const diagnosis = await diagnosisOf(reading);
  const { kind, resource, known, now } = reading;
  const readAt = new Date(now).toISOString();
  const row = liveRow(reading, last);
  const answer = answerOf({ ref, kind, object: reading.object, resource, known, row, now, readAt }, diagnosis);
  return { ...answer, source: "live" };
}

async function diagnosisOf({ object, remembered, world }: Reading) {
  try {
    const owned = await ownedBy(object.metadata.uid ?? "", remembered, world);
    const self = { object, ownerUid: "" };
    return await diagnose([...owned, self], world);
  } catch {
    return { causes: [], unknown: ["what the resource owns could not be read"] };
  }
}

/** What an explanation is made from, live or stored. */
export type Explained = {
  ref: Ref;
  kind: Kind;
  /** null: what was stored has no object. */
  object: KubernetesObject | null;
  resource: unknown;
  known: Record<string, Known>;
  row: Pick<Row, "looksAgainAt" | "error">;
  now: number;
  readAt: string;
};

function answerOf(
  from: Explained,
  { causes, unknown }: { causes: Cause[]; unknown: string[] },
): Omit<ExplainAnswer, "source"> {
  const { kind, object, resource, known, row, now, readAt } = from;
  const states = lifecycleStates(kind, resource);
  const lifecycles = Object.entries(states).map(([lifecycle, { state, tone, since }]) => {
    const { machine } = kind.lifecycles[lifecycle] ?? {};
    const facts = known[lifecycle];
    if (!machine || !facts)
      return {
        lifecycle,
        state,
        tone,
        since,
        sentence: "",
        brief: "",
        why: null,
        own: null,
        settled: true,
        waysOut: [],
      };
    const said = sentenceOf(machine, state, facts);
    const own = object && ownWords(object, state);
    const why = own ?? said.why;
    const settled = metaOf(machine).settled.includes(state);
    return {
      lifecycle,
      state,
      tone,
      since,
      sentence: sentenceText({ ...said, why }),
      brief: sentenceText({ ...said, why: own ?? said.whyInShort }),
      why,
      own,
      settled,
      waysOut: waysOutOf(machine, state, facts).map(wayOf),
    };
  });
  const worst = worstTone(lifecycles.map(({ tone }) => tone));
  const first =
    lifecycles.find(({ tone }) => tone === "bad" && tone === worst) ??
    lifecycles.find(({ tone, settled }) => !settled && tone === worst) ??
    lifecycles.find(({ settled }) => !settled) ??
    lifecycles[0];
  const why = whyOf(first, causes, row.error);
  return {
    sentence: sentenceFor(from, first, why, now),
    why,
    causes,
    unknown: [...unknown, ...unknownFacts(known)],
    lifecycles,
    looksAgainAt: row.looksAgainAt,
    error: row.error,
    readAt,
  };
}

type Said = {
  state: string;
  tone: Tone;
  since: string | null;
  why: string | null;
  /** What the resource itself says of this state. */
  own: string | null;
  settled: boolean;
  waysOut: unknown[];
  sentence: string;
  /** The same without what was seen, for where the cause has told that already. */
  brief: string;
};

/** An object's own trouble is nearer to the cause than the guard that waits for it; a failing write is nearest of all. */
function whyOf(said: Said | undefined, causes: readonly Cause[], error: string | null): string | null {
  // A resource that has failed says itself of what; what its objects still show is how that came about.
  if (said?.tone === "bad" && said.own) return said.own;
  const [cause] = causes;
  if (cause) return cause.sentence;
  if (error) return error;
  return said?.why ?? null;
}

/** State, since, why, what next, and when it is looked at again. */
function sentenceFor({ ref, kind, row }: Explained, said: Said | undefined, why: string | null, now: number): string {
  if (!said) return `${kind.title} ${nameOf(ref)}`;
  const since = said.since === null ? "since unknown" : `for ${spokenDuration(now - Date.parse(said.since))}`;
  // What the guard waits for, and what comes then, is in the machine's own sentence; a nearer cause goes before it.
  const told = why === null || why === said.why ? [said.sentence] : [why, said.brief];
  return `${[`${said.state} ${since}`, ...told, againOf(row.looksAgainAt, now)].filter(Boolean).join(". ")}.`;
}

function againOf(looksAgainAt: string | null, now: number): string {
  if (looksAgainAt === null) return "Looked at again when something changes";
  const inMs = Date.parse(looksAgainAt) - now;
  return inMs > 0 ? `Looked at again in ${spokenDuration(inMs)}` : "Looked at again now";
}

/** Unknown is said as unknown: a fact without a value is neither true nor false. */
function unknownFacts(known: Record<string, Known>): string[] {
  return Object.values(known).flatMap(({ facts }) =>
    Object.entries(facts).flatMap(([fact, value]) =>
      value === undefined || value === null || value === "unknown" ? [`${fact} is unknown`] : [],
    ),
  );
}

export function wayOf({ edge, open, taken, tree }: WayOut) {
  const { id, to, event, self, actions } = edge;
  return { edge: id, to, event, self, actions, open, taken, guard: tree };
}
