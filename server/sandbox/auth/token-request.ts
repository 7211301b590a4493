import { type KubernetesObject } from "@/server/kubernetes/object";
import { issuer, type TokenClaims, type Tokens } from "@/server/sandbox/auth/tokens";
import { type Cluster } from "@/server/sandbox/cluster";
import { invalid } from "@/server/sandbox/field-error";
import { listOf, recordOf, textOf } from "@/server/sandbox/json";
import { conflictError, invalidError, notFoundError } from "@/server/sandbox/status-error";

const serviceAccounts = { group: "", plural: "serviceaccounts" };
const boundKinds: Record<string, "pods" | "secrets"> = { Pod: "pods", Secret: "secrets" };
const secondsMin = 600;

/** POST serviceaccounts/<name>/token: a token that ends, and ends early with what it is bound to. */
export function requestToken(
  cluster: Cluster,
  tokens: Tokens,
  at: { namespace: string; name: string },
  request: KubernetesObject,
): KubernetesObject {
  const account = cluster.get(serviceAccounts, at.namespace, at.name);
  if (!account) throw notFoundError(serviceAccounts, at.name);
  const spec = recordOf(request.spec);
  const seconds = spec["expirationSeconds"] === undefined ? 3600 : Number(spec["expirationSeconds"]);
  if (!(seconds >= secondsMin)) {
    const tooShort = invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes");
    throw invalidError({ group: "authentication.k8s.io", kind: "TokenRequest" }, "", [tooShort]);
  }
  const asked = listOf(spec["audiences"]).map(textOf);
  const audiences = asked.length > 0 ? asked : [issuer];
  const bound = boundTo(cluster, at.namespace, recordOf(spec["boundObjectRef"]));
  const now = Math.floor(cluster.clock.now() / 1000);
  const claims = claimsFor(account, { aud: audiences, iat: now, nbf: now, exp: now + seconds }, bound);
  const status = {
    token: tokens.sign(claims),
    expirationTimestamp: `${new Date((now + seconds) * 1000).toISOString().slice(0, 19)}Z`,
  };
  return {
    ...request,
    metadata: { ...request.metadata, name: at.name, namespace: at.namespace },
    spec: { ...spec, audiences, expirationSeconds: seconds, boundObjectRef: spec["boundObjectRef"] ?? null },
    status,
  };
}

type Bound = { pod?: { name: string; uid: string }; secret?: { name: string; uid: string } };

export function claimsFor(
  account: KubernetesObject,
  times: Pick<TokenClaims, "aud" | "iat" | "nbf" | "exp">,
  bound: Bound,
): TokenClaims {
  const { name, namespace = "", uid = "" } = account.metadata;
  return {
    iss: issuer,
    sub: `system:serviceaccount:${namespace}:${name}`,
    ...times,
    "kubernetes.io": { namespace, serviceaccount: { name, uid }, ...bound },
  };
}

function boundTo(cluster: Cluster, namespace: string, ref: Record<string, unknown>): Bound {
  const kind = textOf(ref["kind"]);
  const plural = Object.hasOwn(boundKinds, kind) ? boundKinds[kind] : undefined;
  if (!plural) return {};
  const name = textOf(ref["name"]);
  const object = cluster.get({ group: "", plural }, namespace, name);
  if (!object) throw notFoundError({ group: "", plural }, name);
  const uid = object.metadata.uid ?? "";
  if (ref["uid"] !== undefined && ref["uid"] !== uid) {
    const why = `the UID in the bound object reference (${textOf(ref["uid"])}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflictError({ group: "", plural }, name, why);
  }
  return plural === "pods" ? { pod: { name, uid } } : { secret: { name, uid } };
}
