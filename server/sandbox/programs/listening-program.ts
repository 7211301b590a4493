import { createServer } from "node:http";
import { type Program } from "./program";

/** What an image that we know nothing about does: it listens on the ports that its container declares and is content. */
export const listeningProgram: Program = async (host) => {
  for (const port of host.ports) {
    const server = createServer((request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.end(`${host.hostname} ${request.method ?? "GET"} ${request.url ?? "/"}\n`);
    });
    await host.listen(server, port);
    host.stdout(`listening on port ${port}\n`);
  }
  return new Promise((resolve) => {
    host.onSignal((signal) => {
      host.stdout(`received ${signal}, exiting\n`);
      resolve(0);
    });
  });
};
