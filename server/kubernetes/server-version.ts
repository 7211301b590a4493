import { type KubernetesClient } from "@/server/kubernetes/client";
import { isForbidden, isNotFound } from "@/server/kubernetes/errors";

/** The first minor version that answers an initial-events watch with a clear refusal instead of ignoring the wish. */
const WATCH_LIST_MINOR = 27;

/** May a watch ask for its initial events? An older server would ignore the question, and the end of them would never come. */
export async function offersWatchList(client: KubernetesClient, signal: AbortSignal): Promise<boolean> {
  const { body } = await client.request("GET", "/version", { signal }).catch((error: unknown) => {
    // Not everybody may ask; then a list it is.
    if (isForbidden(error) || isNotFound(error)) return { body: null };
    throw error;
  });
  if (typeof body !== "object" || body === null || !("major" in body) || !("minor" in body)) return false;
  // Some distributions write "27+".
  const [major, minor] = [body.major, body.minor].map((part) => Number.parseInt(String(part), 10));
  if (major === undefined || minor === undefined || Number.isNaN(minor)) return false;
  return major > 1 || minor >= WATCH_LIST_MINOR;
}
