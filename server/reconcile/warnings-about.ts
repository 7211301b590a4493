import { apis } from "@/server/kubernetes/apis";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type LiveWorld } from "./world";

/** A diagnosis that takes longer than this is not worth the pass, or the other askers, that wait for it. */
const QUESTION_MS_MAX = 10_000;

type Asker = {
  uid: string;
  resolve(events: KubernetesObject[]): void;
  reject(error: unknown): void;
};

/**
 * The Warning events about one object, never older than the question. Each question costs the server a look at every
 * event of the namespace, so those who come while one is under way gather, and the next one answers them all.
 */
export function warningsAbout(live: LiveWorld, object: KubernetesObject): Promise<KubernetesObject[]> {
  const { kind, metadata } = object;
  const { namespace, uid = "" } = metadata;
  const gatherings = gatheringsOf(live);
  const id = `${namespace ?? ""} ${kind}`;
  return new Promise((resolve, reject) => {
    const asker: Asker = { uid, resolve, reject };
    const gathering = gatherings.get(id);
    if (gathering) {
      gathering.push(asker);
      return;
    }
    const ask = (askers: readonly Asker[]): void => {
      // Whoever comes from here on may not be told what this question finds: it may have been answered before they asked.
      const later: Asker[] = [];
      gatherings.set(id, later);
      void answer(live, { namespace, kind }, askers).then(() => {
        if (later.length > 0) ask(later);
        else gatherings.delete(id);
      });
    };
    ask([asker]);
  });
}

/** Those who wait, by namespace and kind, for the question that is under way to end. */
type Gatherings = Map<string, Asker[]>;

const known = new WeakMap<LiveWorld, Gatherings>();

/** Who looks at the same world shares its questions. */
function gatheringsOf(live: LiveWorld): Gatherings {
  const gatherings = known.get(live) ?? new Map<string, Asker[]>();
  known.set(live, gatherings);
  return gatherings;
}

/** One question for all of them: by uid when they ask about one object, else by its kind, sorted out here. */
async function answer(
  live: LiveWorld,
  { namespace, kind }: { namespace: string | undefined; kind: string },
  askers: readonly Asker[],
): Promise<void> {
  const [uid, ...others] = new Set(askers.map((asker) => asker.uid));
  const about = others.length === 0 ? `involvedObject.uid=${uid}` : `involvedObject.kind=${kind}`;
  const where = { namespace, fieldSelector: `${about},type=Warning`, timeoutMs: QUESTION_MS_MAX };
  try {
    const events = await live.list(apis.event, where);
    const answerTo = ({ uid }: Asker) =>
      others.length === 0 ? events : events.filter((event) => uidOf(event) === uid);
    for (const asker of askers) asker.resolve(answerTo(asker));
  } catch (error) {
    for (const asker of askers) asker.reject(error);
  }
}

function uidOf(event: KubernetesObject): string | undefined {
  return (event.involvedObject as { uid?: string } | undefined)?.uid;
}
