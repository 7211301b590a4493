import { type KubernetesClient } from "@/server/kubernetes/client";
import { isGone, isTooLargeResourceVersion } from "@/server/kubernetes/errors";
import { type Api, type KubernetesObject } from "@/server/kubernetes/object";

/** client-go's page: one page of large objects stays within a few megabytes on both sides. */
const PAGE_LIMIT = 500;

export type Scope = { api: Api; namespace?: string; labelSelector?: string; fieldSelector?: string };
export type Listed = { objects: KubernetesObject[]; resourceVersion: string; isNewest: boolean };

/**
 * Everything in scope, not older than `notOlderThan`. The first list ("") asks for the newest, where client-go takes
 * whatever a server's cache holds: a worker that restarts must not see a world older than the one it has written to.
 */
export async function listAll(
  client: KubernetesClient,
  scope: Scope,
  notOlderThan: string,
  options: ListAllOptions,
): Promise<Listed> {
  if (notOlderThan !== "") {
    try {
      // Not in pages: only a whole list at a version can come from the server's memory.
      const list = await client.list(scope.api, {
        ...selectors(scope),
        resourceVersion: notOlderThan,
        signal: options.signal,
      });
      return { objects: list.items.map(options.transform), resourceVersion: list.resourceVersion, isNewest: false };
    } catch (error) {
      if (!isGone(error) && !isTooLargeResourceVersion(error)) throw error;
    }
  }
  try {
    return await inPages(client, scope, options);
  } catch (error) {
    // The token of a page expired while we read: all of it in one answer then.
    if (!isGone(error)) throw error;
    const list = await client.list(scope.api, { ...selectors(scope), signal: options.signal });
    return { objects: list.items.map(options.transform), resourceVersion: list.resourceVersion, isNewest: true };
  }
}

type ListAllOptions = { signal: AbortSignal; transform: (object: KubernetesObject) => KubernetesObject };

async function inPages(client: KubernetesClient, scope: Scope, { signal, transform }: ListAllOptions): Promise<Listed> {
  const page = (token: string | undefined) =>
    client.list(scope.api, { ...selectors(scope), limit: PAGE_LIMIT, continue: token, signal });
  const objects: KubernetesObject[] = [];
  let list = await page(undefined);
  for (;;) {
    // The next page is on its way while this one is taken in.
    const next = list.continue ? page(list.continue) : null;
    next?.catch(() => undefined);
    for (const item of list.items) objects.push(transform(item));
    // The version of the first page is that of all: the token pins it.
    if (!next) return { objects, resourceVersion: list.resourceVersion, isNewest: true };
    list = await next;
  }
}

function selectors({ namespace, labelSelector, fieldSelector }: Scope) {
  return { namespace, labelSelector, fieldSelector };
}
