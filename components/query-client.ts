import { defaultShouldDehydrateQuery, QueryClient } from "@tanstack/react-query";

/** What is shown is kept fresh by the stream of changes, so nothing is asked for again just because time has passed. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < 2 && isWorthRetrying(error),
      },
      dehydrate: { shouldDehydrateQuery: (query) => defaultShouldDehydrateQuery(query) },
    },
  });
}

const final = [400, 401, 403, 404, 409, 412];

/** A refusal stays a refusal; anything else may be the network. */
function isWorthRetrying(error: unknown): boolean {
  return !final.includes(statusOf(error));
}

export function statusOf(error: unknown): number {
  if (typeof error !== "object" || error === null || !("data" in error)) return 0;
  const { data } = error;
  const isStatus =
    typeof data === "object" && data !== null && "httpStatus" in data && typeof data.httpStatus === "number";
  return isStatus ? (data.httpStatus as number) : 0;
}
