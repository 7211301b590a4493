/** Set by our own server on every request, over whatever the caller sent. */
export const ADDRESS_HEADER = "x-orrery-address";

/** Where a request comes from, as our socket saw it: what proxies and callers say of themselves is not believed. */
export function addressOf(request: Request): string {
  return request.headers.get(ADDRESS_HEADER) ?? "";
}
