import type { ListParams } from "./list-params";

/** The key of every list that is read page by page. */
export const listKey = ["list"];

const pageSize = 50;

/** How a list is asked for: by the server for the first paint, and by the page from then on. */
export function listQuery({ filter, sort, direction }: ListParams) {
  const input = { ...filter, sort, direction, limit: pageSize };
  return { input, key: [...listKey, input] };
}
