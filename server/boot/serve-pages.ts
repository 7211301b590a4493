import { createServer, type Server } from "node:http";
import { join } from "node:path";
import next from "next";
import { staticFiles } from "@/server/http/static-files";
import { ADDRESS_HEADER } from "@/server/identity/caller-address";
import { portRefusal } from "./port-refusal";

export type Pages = { url: string; stop: () => Promise<void> };

/** Next's handler on a server of our own, so that the port is known to be ours before anything else is started. */
export async function servePages({
  host,
  port,
}: {
  host: string;
  port: number;
}): Promise<Pages & { ready: () => Promise<void> }> {
  let handle: ReturnType<ReturnType<typeof next>["getRequestHandler"]> | null = null;
  const files = staticFiles(join(process.cwd(), ".next", "static"));
  const server = createServer((request, response) => {
    // Next tells a layout no address of its own, and who has to sign in wants to come back to this one.
    request.headers["x-orrery-path"] = pathOf(request.url);
    request.headers[ADDRESS_HEADER] = request.socket.remoteAddress ?? "";
    const page = handle;
    if (page) void files(request, response).then((isServed) => (isServed ? undefined : page(request, response)));
    else response.writeHead(503, { "content-type": "text/plain", "retry-after": "1" }).end("Orrery is starting.\n");
  });
  await listen(server, host, port);
  const address = server.address();
  const bound = typeof address === "object" && address ? address.port : port;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
  const stopping = new AbortController();
  const pages = next({ dev: false, dir: process.cwd(), hostname: host, port: bound, httpServer: server });
  return {
    url,
    ready: async () => {
      await pages.prepare();
      handle = pages.getRequestHandler();
      void warmUp(url, stopping.signal);
    },
    stop: async () => {
      stopping.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Open streams would hold the server for as long as their pages are open.
      server.closeAllConnections();
      await closed;
      if (handle) await pages.close();
    },
  };
}

/** Asks for a page of each sort once, as the first visitor would, who then does not wait for code that has never run. */
async function warmUp(url: string, signal: AbortSignal): Promise<void> {
  for (const path of ["/", "/all", "/machines"]) {
    // Where somebody has to sign in, that is the page; a failure shows itself to whoever asks next.
    await fetch(url + path, { signal }).then(
      (answer) => answer.arrayBuffer(),
      () => undefined,
    );
  }
}

/** As the address bar has it: without the mark of a request for a part of the page. */
function pathOf(url = "/"): string {
  const here = "http://orrery.local";
  const { pathname, searchParams } = new URL(URL.canParse(url, here) ? url : "/", here);
  searchParams.delete("_rsc");
  return searchParams.size > 0 ? `${pathname}?${searchParams.toString()}` : pathname;
}

function listen(server: Server, host: string, port: number) {
  return new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(portRefusal(error, { host, port, option: "--port" })));
    server.listen(port, host, resolve);
  });
}
