import { type Condition, setCondition, timestamp } from "@/machines/conditions";
import { type Known } from "@/machines/facts";
import { instanceMachine, type InstanceFacts } from "@/machines/firebolt/instance.machine";
import { type Event, step } from "@/machines/lifecycle";
import { type Effect, type Plan } from "@/server/reconcile/plan";
import { finalizers } from "./generation-names";
import { credentialsSecret, gatewayEndpoint, metadataEndpoint } from "./instance-objects";
import { type InstanceSeen } from "./instance.read";
import { removeEffects, unlistedFailure } from "./last-look";

/** What an instance needs next. Pure: no clock, no cluster. */
export function computeInstance(seen: InstanceSeen, event: Event, now: number): Plan {
  const { phase } = seen.instance.status;
  const { state, actions } = step(instanceMachine, { state: phase, facts: knownOfInstance(seen).facts }, event);
  return {
    steps: { phase: { from: phase, to: state, event: event.type, actions } },
    effects: actions.flatMap((action) => effectsOf[action]?.(seen) ?? []),
    status: actions.includes("removeEverything") ? null : statusAfter(seen, state, actions, now),
    requeueAfterMs: requeueAfterMs[state],
    ...unlistedFailure(seen.lastLook),
  };
}

const requeueAfterMs: Record<Phase, number> = { Provisioning: 5_000, Ready: 30_000, Degraded: 5_000, Failed: 300_000 };

type Phase = InstanceSeen["instance"]["status"]["phase"];

export function knownOfInstance(seen: InstanceSeen): Known<InstanceFacts> {
  const { instance, postgres, metadata, gateway, outdated, faults, trouble } = seen;
  const { spec, status } = instance;
  const refused = textOf(faults);
  return {
    facts: {
      deleting: instance.metadata.deletionTimestamp !== undefined,
      registered:
        instance.metadata.finalizers.includes(finalizers.instance) &&
        spec.id !== undefined &&
        status.phaseSince !== undefined,
      recoverable: trouble === null,
      specAdmitted: refused === "" && seen.preflight === null,
      partsCurrent: outdated.length === 0 && !seen.credentialsMissing,
      metadataReady: metadata.ready && postgres.ready,
      gatewayReady: gateway.ready,
    },
    evidence: {
      recoverable: { sentence: trouble?.message ?? "nothing is lost" },
      specAdmitted: { sentence: refused || (seen.preflight ?? "every rule is kept") },
      partsCurrent: { sentence: partsSentence(seen) },
      metadataReady: { sentence: `${metadata.sentence}; ${postgres.sentence}` },
      gatewayReady: { sentence: gateway.sentence },
    },
  };
}

function textOf({ metadata, gateway }: InstanceSeen["faults"]): string {
  return [metadata, gateway].filter(Boolean).join("; ");
}

function partsSentence({ outdated, credentialsMissing }: InstanceSeen): string {
  const names = outdated.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const all = credentialsMissing ? ["the credentials of its PostgreSQL", ...names] : names;
  return all.length > 0 ? `to be written: ${all.join(", ")}` : "all its objects are as they should be";
}

const effectsOf: Partial<Record<string, (seen: InstanceSeen) => Effect[]>> = {
  register: ({ instance, fresh }) => [
    { type: "addFinalizer", finalizer: finalizers.instance },
    ...(instance.spec.id === undefined
      ? [{ type: "patchSpec", patch: { spec: { id: instance.status.observedId ?? fresh.id } } } as const]
      : []),
  ],
  provision: ({ instance, credentialsMissing, outdated, fresh }) => [
    // First: the database and the service that read it must not find it missing.
    ...(credentialsMissing ? [ensure(credentialsSecret(instance, fresh.password))] : []),
    ...outdated.map(ensure),
  ],
  removeEverything: ({ lastLook }) => (lastLook ? removeEffects(lastLook, finalizers.instance) : []),
};

function ensure(object: Extract<Effect, { type: "ensure" }>["object"]): Effect {
  return { type: "ensure", object };
}

function statusAfter(
  seen: InstanceSeen,
  state: Phase,
  actions: readonly string[],
  now: number,
): Record<string, unknown> {
  const { instance } = seen;
  const { status, metadata, spec } = instance;
  const { facts } = knownOfInstance(seen);
  const serves = facts.metadataReady && state !== "Failed";
  const conditions = conditionsOf(seen, state, actions).map((condition) => ({
    ...condition,
    observedGeneration: metadata.generation,
  }));
  return {
    ...status,
    phase: state,
    phaseSince: state === status.phase && status.phaseSince !== undefined ? status.phaseSince : timestamp(now),
    observedGeneration: facts.partsCurrent ? metadata.generation : status.observedGeneration,
    observedId: status.observedId ?? spec.id ?? seen.fresh.id,
    metadataReady: serves,
    // Absent while not ready: engines read it as the sign that they may be built.
    metadataEndpoint: serves ? metadataEndpoint(instance) : undefined,
    gatewayReady: facts.gatewayReady,
    gatewayEndpoint: facts.gatewayReady ? gatewayEndpoint(instance) : undefined,
    conditions: conditions.reduce<readonly Condition[]>((list, one) => setCondition(list, one, now), status.conditions),
  };
}

type Said = Omit<Condition, "lastTransitionTime">;

function conditionsOf(seen: InstanceSeen, state: Phase, actions: readonly string[]): Said[] {
  const metadata = metadataCondition(seen);
  const gateway = gatewayCondition(seen);
  return [metadata, gateway, readyCondition(seen, [metadata, gateway], { state, actions })];
}

/** What serves is ready, whatever is asked of it next: a refused template is told where the whole instance is judged. */
function gatewayCondition({ faults, gateway }: InstanceSeen): Said {
  const type = "GatewayReady";
  if (gateway.ready) return { type, status: "True", reason: "Ready", message: gateway.sentence };
  if (faults.gateway) return { type, status: "False", reason: "TemplateRejected", message: faults.gateway };
  return { type, status: "False", reason: "Provisioning", message: gateway.sentence };
}

function metadataCondition({ faults, preflight, metadata, postgres }: InstanceSeen): Said {
  const type = "MetadataReady";
  const sentence = postgres.ready ? metadata.sentence : postgres.sentence;
  if (metadata.ready && postgres.ready) return { type, status: "True", reason: "Ready", message: metadata.sentence };
  if (faults.metadata) return { type, status: "False", reason: "TemplateRejected", message: faults.metadata };
  if (preflight) return { type, status: "False", reason: "PostgresSecretPreflightFailed", message: preflight };
  return { type, status: "False", reason: "Provisioning", message: sentence };
}

function readyCondition(
  { trouble, instance, faults }: InstanceSeen,
  parts: readonly Said[],
  { state, actions }: { state: Phase; actions: readonly string[] },
): Said {
  const type = "Ready";
  // What was said when it failed stays said: the trouble itself may be gone from sight.
  const before = instance.status.conditions.find((condition) => condition.type === type);
  if (state === "Failed") return trouble ? { type, status: "False", ...trouble } : { ...(before ?? unknownFailure) };
  if (actions.includes("register")) {
    return { type, status: "False", reason: "Initializing", message: "Instance status has not yet been populated" };
  }
  const refused = textOf(faults);
  if (refused) return { type, status: "False", reason: "TemplateRejected", message: refused };
  const blocker = parts.find(({ status }) => status !== "True");
  if (blocker) return { type, status: "False", reason: blocker.reason, message: blocker.message };
  return { type, status: "True", reason: "AllComponentsReady", message: "Metadata service and gateway are ready" };
}

const unknownFailure: Said = { type: "Ready", status: "False", reason: "Failed", message: "The instance has failed" };
