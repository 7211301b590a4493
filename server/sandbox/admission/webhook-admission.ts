import { type AdmissionAttributes, type AdmissionPlugin } from "@/server/sandbox/admission-plugin";
import { isConcerned, type Webhook, webhooksOf } from "@/server/sandbox/admission/webhook";
import { type CallDeps, callWebhook, type WebhookAnswer } from "@/server/sandbox/admission/webhook-call";
import { listOf, recordOf, textOf } from "@/server/sandbox/json";
import { jsonPatch } from "@/server/sandbox/patch/json-patch";
import { badRequestError, internalError, StatusError } from "@/server/sandbox/status-error";

/** Webhooks never decide over webhooks: a broken one could not be removed any more. */
const exempt = "admissionregistration.k8s.io";

/** Mutating webhooks, one after the other. */
export function mutatingWebhooks(deps: CallDeps): AdmissionPlugin {
  return {
    name: "MutatingAdmissionWebhook",
    mutate: (attributes) => {
      const asked = concerned(deps, "mutatingwebhookconfigurations", attributes);
      return asked.length === 0 ? undefined : mutateBy(deps, asked, attributes);
    },
  };
}

/** Validating webhooks, all at once. */
export function validatingWebhooks(deps: CallDeps): AdmissionPlugin {
  return {
    name: "ValidatingAdmissionWebhook",
    validate: (attributes) => {
      const asked = concerned(deps, "validatingwebhookconfigurations", attributes);
      return asked.length === 0 ? undefined : validateBy(deps, asked, attributes);
    },
  };
}

function concerned(
  deps: CallDeps,
  plural: Parameters<typeof webhooksOf>[1],
  attributes: AdmissionAttributes,
): Webhook[] {
  if (attributes.type.group === exempt) return [];
  return webhooksOf(deps.cluster, plural).filter((webhook) => isConcerned(deps.cluster, webhook, attributes));
}

async function mutateBy(deps: CallDeps, webhooks: readonly Webhook[], attributes: AdmissionAttributes): Promise<void> {
  for (const webhook of webhooks) {
    const answer = await ask(deps, webhook, attributes);
    if (answer !== null) applyPatch(webhook, answer, attributes);
  }
}

async function validateBy(
  deps: CallDeps,
  webhooks: readonly Webhook[],
  attributes: AdmissionAttributes,
): Promise<void> {
  const results = await Promise.allSettled(webhooks.map((webhook) => ask(deps, webhook, attributes)));
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason instanceof Error ? failed.reason : internalError(String(failed.reason));
}

/** The answer of one that allows; null where it could not be asked and that is to be ignored. */
async function ask(deps: CallDeps, webhook: Webhook, attributes: AdmissionAttributes): Promise<WebhookAnswer | null> {
  if (attributes.ctx.dryRun && webhook.sideEffects !== "None" && webhook.sideEffects !== "NoneOnDryRun") {
    throw badRequestError(`admission webhook "${webhook.name}" does not support dry run`);
  }
  let answer: WebhookAnswer;
  try {
    answer = await callWebhook(deps, webhook, attributes);
  } catch (error) {
    if (webhook.failurePolicy === "Ignore") return null;
    throw internalError(
      `failed calling webhook "${webhook.name}": ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  for (const warning of listOf(answer["warnings"])) attributes.ctx.warnings?.push(textOf(warning));
  if (answer["allowed"] !== true) throw denial(webhook, recordOf(answer["status"]));
  return answer;
}

function denial({ name }: Webhook, status: Record<string, unknown>): StatusError {
  const denied = `admission webhook "${name}" denied the request`;
  const because = textOf(status["message"]) || textOf(status["reason"]);
  const code = typeof status["code"] === "number" && status["code"] >= 400 ? status["code"] : 400;
  return new StatusError(
    code,
    textOf(status["reason"]),
    because === "" ? `${denied} without explanation` : `${denied}: ${because}`,
  );
}

function applyPatch(webhook: Webhook, answer: WebhookAnswer, attributes: AdmissionAttributes): void {
  const { object } = attributes;
  const encoded = textOf(answer["patch"]);
  if (encoded === "" || !object) return;
  if (answer["patchType"] !== "JSONPatch") {
    throw internalError(
      `admission webhook "${webhook.name}" attempted to modify the object with an unknown patch type "${textOf(answer["patchType"])}"`,
    );
  }
  let patched: unknown;
  try {
    patched = jsonPatch(object, JSON.parse(Buffer.from(encoded, "base64").toString()));
  } catch (error) {
    throw internalError(
      `admission webhook "${webhook.name}" gave a patch that does not apply: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  // The chain shares one object: it is changed in place.
  for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
  Object.assign(object, patched);
  attributes.type.strategy.normalize?.(object);
}
