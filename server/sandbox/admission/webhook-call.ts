import { isIP } from "node:net";
import { randomUUID } from "node:crypto";
import { Agent, request } from "undici";
import { type AdmissionAttributes } from "@/server/sandbox/admission-plugin";
import { type ServiceTarget, type Webhook } from "@/server/sandbox/admission/webhook";
import { type Cluster } from "@/server/sandbox/cluster";
import { isRecord, recordOf, textOf } from "@/server/sandbox/json";
import { apiVersionOf } from "@/server/sandbox/type-registry";

/** Where a Service's port is really served, or a sentence why it is not. */
export type ResolveService = (target: ServiceTarget & { port: number }) => { host: string; port: number } | string;

/** `response` of the AdmissionReview that came back. */
export type WebhookAnswer = Record<string, unknown>;

export type CallDeps = { cluster: Cluster; resolveService: ResolveService };

/** Asks a webhook. Throws an Error that says what went wrong on the way. */
export async function callWebhook(
  deps: CallDeps,
  webhook: Webhook,
  attributes: AdmissionAttributes,
): Promise<WebhookAnswer> {
  const uid = randomUUID();
  const target = targetOf(deps, webhook);
  const limit = new AbortController();
  const timer = deps.cluster.clock.setTimeout(() => limit.abort(), webhook.timeoutSeconds * 1000);
  const agent = agentFor(webhook, target.servername);
  try {
    const body = JSON.stringify(reviewOf(uid, attributes));
    const answer = await request(target.url, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", accept: "application/json" },
      dispatcher: agent,
      signal: limit.signal,
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 400)
      throw new Error(
        text.trim() === "" ? `the server responded with the status code ${answer.statusCode}` : text.trim(),
      );
    return responseIn(text, uid);
  } catch (error) {
    if (limit.signal.aborted)
      throw new Error(`failed to call webhook: Post "${target.shown}": context deadline exceeded`, { cause: error });
    throw new Error(`failed to call webhook: ${isNetwork(error) ? `Post "${target.shown}": ` : ""}${reasonOf(error)}`, {
      cause: error,
    });
  } finally {
    timer.cancel();
    await agent.close();
  }
}

type Target = { url: string; shown: string; servername: string };

function targetOf({ resolveService }: CallDeps, { clientConfig: { url, service }, timeoutSeconds }: Webhook): Target {
  const timeout = `timeout=${timeoutSeconds}s`;
  if (!service) {
    const to = new URL(url ?? "");
    to.searchParams.set("timeout", `${timeoutSeconds}s`);
    return { url: to.href, shown: to.href, servername: to.hostname };
  }
  const { namespace, name, path = "", port = 443 } = service;
  const servername = `${name}.${namespace}.svc`;
  const suffix = `${path === "" || path.startsWith("/") ? path : `/${path}`}?${timeout}`;
  const shown = `https://${servername}:${port}${suffix}`;
  const found = resolveService({ namespace, name, port });
  if (typeof found === "string") throw new Error(`failed to call webhook: Post "${shown}": ${found}`);
  return {
    url: `https://${found.host}:${found.port}${suffix === `?${timeout}` ? `/${suffix}` : suffix}`,
    shown,
    servername,
  };
}

/** Trusts what the configuration says, for the name that it says; without a bundle, what the system trusts. */
function agentFor({ clientConfig: { caBundle } }: Webhook, servername: string): Agent {
  const ca = caBundle ? { ca: Buffer.from(caBundle, "base64").toString() } : {};
  // An address has no name to ask for.
  return new Agent({ connect: { ...ca, ...(isIP(servername) ? {} : { servername }) }, connections: 1 });
}

function isNetwork(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }; // Everything that undici throws is an Error.
  if (code === "ECONNREFUSED")
    return message?.replace(/^connect ECONNREFUSED (.*)$/, "dial tcp $1: connect: connection refused") ?? code;
  if (code !== undefined && tlsTrouble.test(code))
    return `x509: certificate signed by unknown authority (${message ?? code})`;
  return message ?? String(error);
}

const tlsTrouble = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT)/;

function responseIn(text: string, uid: string): WebhookAnswer {
  let review: unknown;
  try {
    review = JSON.parse(text);
  } catch {
    throw new Error("the body of the response is no JSON");
  }
  const { apiVersion, kind, response } = recordOf(review);
  if (apiVersion !== "admission.k8s.io/v1" || kind !== "AdmissionReview") {
    throw new Error(
      `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${textOf(apiVersion)}, Kind=${textOf(kind)}`,
    );
  }
  if (!isRecord(response)) throw new Error("webhook response was absent");
  if (response["uid"] !== uid) throw new Error(`expected response.uid="${uid}", got "${textOf(response["uid"])}"`);
  return response;
}

function reviewOf(uid: string, attributes: AdmissionAttributes) {
  const { type, subresource, name, namespace, operation, object, oldObject, ctx } = attributes;
  const kind = { group: type.group, version: type.version, kind: type.kind };
  const resource = { group: type.group, version: type.version, resource: type.plural };
  const part = subresource === undefined ? {} : { subResource: subresource, requestSubResource: subresource };
  const versioned = (of: typeof object) => (of ? { ...of, apiVersion: apiVersionOf(type), kind: type.kind } : null);
  return {
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid,
      kind,
      resource,
      ...part,
      requestKind: kind,
      requestResource: resource,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      operation,
      userInfo: ctx.user,
      object: versioned(object),
      oldObject: versioned(oldObject),
      dryRun: ctx.dryRun === true,
      options: {
        kind: optionKinds[operation],
        apiVersion: "meta.k8s.io/v1",
        ...(ctx.fieldManager ? { fieldManager: ctx.fieldManager } : {}),
      },
    },
  };
}

const optionKinds: Record<AdmissionAttributes["operation"], string> = {
  CREATE: "CreateOptions",
  UPDATE: "UpdateOptions",
  DELETE: "DeleteOptions",
  CONNECT: "ConnectOptions",
};
