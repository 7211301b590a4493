import pg from "pg";
import type { Listener } from "./database";

/** LISTEN on a connection of its own that comes back after a break, and says that news may have been missed. */
export async function listenOn(url: string, channel: string, listener: Listener): Promise<() => Promise<void>> {
  let stopped = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let failures = 0;

  const connect = async () => {
    const next = new pg.Client({ connectionString: url, application_name: "orrery news", keepAlive: true });
    client = next;
    next.on("notification", (message) => listener.onNews(message.payload ?? ""));
    next.on("error", () => undefined);
    next.on("end", () => reconnect());
    await next.connect();
    await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    failures = 0;
  };
  const reconnect = () => {
    if (stopped || retry) return;
    retry = setTimeout(
      () => {
        retry = undefined;
        connect().then(listener.onGap, reconnect);
      },
      Math.min(100 * 2 ** failures++, 10_000),
    );
    retry.unref();
  };
  await connect();
  return async () => {
    stopped = true;
    clearTimeout(retry);
    await client?.end().catch(() => undefined);
  };
}
