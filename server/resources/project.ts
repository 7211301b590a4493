import type { Known } from "@/machines/facts";
import type { Kind } from "@/machines/kind";
import type { Tone } from "@/machines/lifecycle";
import { sentenceOf, sentenceText } from "@/machines/sentence";
import { controllerOf, type KubernetesObject } from "@/server/kubernetes/object";
import { firstOf, lifecycleStates, worstTone } from "./lifecycle-states";
import { offersOf } from "./offers";
import { ownWords } from "./own-words";
import { idOf, type Ref } from "./ref";
import type { Row } from "./row";

/** What a pass, or a live read, learnt of a resource. */
export type Learnt = {
  ref: Ref;
  kind: Kind;
  object: KubernetesObject;
  resource: unknown;
  known: Record<string, Known>;
};

export type Projected = Omit<Row, "version" | "looksAgainAt" | "error">;

/** A resource as lists show it. */
export function project({ ref, kind, object, resource, known }: Learnt): Projected {
  const lifecycles = lifecycleStates(kind, resource);
  const first = firstOf(lifecycles);
  const worst = worstTone(Object.values(lifecycles).map((one) => one.tone));
  // Where nothing is wrong or on its way, the row looks like the state that it names: what is stopped is not green.
  const tone = isCalm(worst) ? (first?.tone ?? worst) : worst;
  const sentence = sentenceFor({ ref, kind, object, resource, known });
  return {
    id: idOf(ref),
    ...ref,
    uid: object.metadata.uid ?? "",
    state: first?.state ?? "",
    tone: sentence.troubled && tone === "busy" ? "warn" : tone,
    since: first?.since ?? null,
    lifecycles,
    sentence: clipped(sentence.text),
    reason: sentence.why === null ? null : clipped(sentence.why),
    owner: ownerOf(object),
    labels: object.metadata.labels ?? {},
    commands: offersOf({ kind, resource, known })
      .filter((offer) => offer.allowed)
      .map((offer) => offer.command),
  };
}

function isCalm(tone: Tone): boolean {
  return tone === "good" || tone === "idle";
}

type Told = { text: string; why: string | null; troubled: boolean };

/** The sentence of the worst lifecycle; of the first one where none is worse. */
function sentenceFor({ kind, object, resource, known }: Learnt): Told {
  const states = lifecycleStates(kind, resource);
  const worst = worstTone(Object.values(states).map(({ tone }) => tone));
  const [name] = Object.entries(states).find(([, { tone }]) => tone === worst) ?? Object.entries(states)[0] ?? [];
  const lifecycle = name === undefined ? undefined : kind.lifecycles[name];
  const facts = name === undefined ? undefined : known[name];
  if (!lifecycle || !facts) return { text: "", why: null, troubled: false };
  const state = lifecycle.stateOf(resource);
  const sentence = sentenceOf(lifecycle.machine, state, facts);
  const why = sentence.why ?? ownWords(object, state);
  return { text: sentenceText({ ...sentence, why }), why, troubled: sentence.troubled };
}

function ownerOf(object: KubernetesObject): Row["owner"] {
  const owner = controllerOf(object);
  return owner ? { kind: owner.kind, name: owner.name } : null;
}

const SENTENCE_MAX = 400;

function clipped(text: string): string {
  return text.length > SENTENCE_MAX ? `${text.slice(0, SENTENCE_MAX - 1)}…` : text;
}
