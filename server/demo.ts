import { kinds } from "@/machines/families";
import { felderaDemo } from "@/server/feldera/demo";
import { fireboltDemo } from "@/server/firebolt/demo";
import { apis } from "@/server/kubernetes/apis";
import { apiVersionOf, type Api, type KubernetesObject } from "@/server/kubernetes/object";

/** What a newcomer finds in the sandbox: a few resources of each family, one of each honestly in trouble. */
export function demoFleet(): { api: Api; object: KubernetesObject }[] {
  return [...fireboltDemo(), ...felderaDemo()].map((object) => ({ api: apiOf(object), object }));
}

function apiOf({ apiVersion, kind }: KubernetesObject): Api {
  const known: Api[] = [...Object.values(apis), ...Object.values(kinds).map((one) => one.api)];
  const api = known.find((one) => apiVersionOf(one) === apiVersion && one.kind === kind);
  if (!api) throw new Error(`nobody knows where ${kind} of ${apiVersion} is served`);
  return api;
}
