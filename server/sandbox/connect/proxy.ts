import { type ClientRequest, type IncomingHttpHeaders, request as httpRequest } from "node:http";
import { type Duplex } from "node:stream";
import { apis } from "@/server/kubernetes/apis";
import { type Cluster } from "@/server/sandbox/cluster";
import { type Kubelet } from "@/server/sandbox/kubelet/kubelet";
import { type Place } from "@/server/sandbox/kubelet/address-pool";
import { without } from "@/server/sandbox/objects/meta";
import { type Endpoints, type Service } from "@/server/sandbox/objects/service";
import { badRequestError, notFoundError, StatusError } from "@/server/sandbox/status-error";
import { type ServeRequest, type UpgradeRequest } from "./connects";
import { podNamed } from "./pod-target";

type Request = Pick<ServeRequest, "call" | "cluster" | "kubelet">;

/** Any request to a port of a pod, or to a pod behind a service, through the API server. */
export async function proxyRequest(from: ServeRequest): Promise<void> {
  const { request, response } = from;
  const place = placeOf(from);
  await new Promise<void>((resolve, reject) => {
    const call = forward(from, place, request.headers);
    call.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on("end", resolve);
      answer.on("error", () => {
        response.destroy();
        resolve();
      });
    });
    call.on("error", (error: NodeJS.ErrnoException) =>
      response.headersSent ? response.destroy() : reject(unreachable(place, error)),
    );
    // Whoever hangs up here hangs up there.
    response.on("close", () => {
      call.destroy();
      resolve();
    });
    request.pipe(call);
  });
}

/** The same for connections that are taken over (WebSockets of a pod). */
export async function proxyUpgrade(from: UpgradeRequest): Promise<void> {
  const { request, socket, head } = from;
  const place = placeOf(from);
  await new Promise<void>((resolve, reject) => {
    const call = forward(from, place, request.headers);
    call.on("upgrade", (answer, far: Duplex, farHead: Buffer) => {
      const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join("")}\r\n`);
      socket.write(farHead);
      far.write(head);
      far.pipe(socket).pipe(far);
      far.on("error", () => socket.destroy());
      socket.on("error", () => far.destroy());
      resolve();
    });
    call.on("response", (answer) =>
      reject(new StatusError(answer.statusCode ?? 502, "BadRequest", "the pod did not take the connection over")),
    );
    call.on("error", (error: NodeJS.ErrnoException) => reject(unreachable(place, error)));
    call.end();
  });
}

function forward(
  { call, request }: Pick<ServeRequest, "call" | "request">,
  place: Place,
  headers: IncomingHttpHeaders,
): ClientRequest {
  const query = call.query.toString();
  const rest = without(headers, "authorization", "host");
  return httpRequest({
    ...place,
    method: request.method,
    path: call.path + (query === "" ? "" : `?${query}`),
    headers: rest,
    agent: false,
  });
}

function unreachable({ host, port }: Place, error: NodeJS.ErrnoException): StatusError {
  const why = error.code === "ECONNREFUSED" ? `dial tcp ${host}:${port}: connect: connection refused` : error.message;
  return new StatusError(503, "ServiceUnavailable", `error trying to reach service: ${why}`);
}

function placeOf({ call, cluster, kubelet }: Request): Place {
  const { name, port } = nameAndPort(call.name);
  if (call.kind === "services") {
    const { address, port: number } = endpointOf(cluster, call.namespace, name, port);
    return kubelet.locate(address, number);
  }
  const pod = podNamed(cluster, call.namespace, name);
  const first = pod.spec.containers.flatMap(({ ports }) => ports ?? [])[0]?.containerPort;
  const named = pod.spec.containers
    .flatMap(({ ports }) => ports ?? [])
    .find((declared) => declared.name === port)?.containerPort;
  const number = port === "" ? (first ?? 80) : (named ?? Number(port));
  const address = pod.status?.podIP;
  if (!address) throw badRequestError(`address not allowed`);
  return kubelet.locate(address, number);
}

/** `name`, `name:port` or `scheme:name:port`. */
function nameAndPort(text: string): { name: string; port: string } {
  const parts = text.split(":");
  if (parts.length === 3) return { name: parts[1] ?? "", port: parts[2] ?? "" };
  return { name: parts[0] ?? "", port: parts[1] ?? "" };
}

/** Where a service's port really listens, or a sentence why nowhere: what admission webhooks are called by. */
export function resolveService(
  cluster: Cluster,
  kubelet: Kubelet,
  service: { namespace: string; name: string; port: number },
): Place | string {
  try {
    const { address, port } = endpointOf(cluster, service.namespace, service.name, String(service.port));
    return kubelet.locate(address, port);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A ready address behind the service, chosen at random. */
function endpointOf(
  cluster: Cluster,
  namespace: string,
  name: string,
  port: string,
): { address: string; port: number } {
  const service = cluster.get(apis.service, namespace, name) as unknown as Service | undefined; // checked by the registry
  if (!service) throw notFoundError({ group: "", plural: "services" }, name);
  const ports = service.spec.ports ?? [];
  const wanted =
    port === ""
      ? ports.length === 1
        ? ports[0]
        : undefined
      : ports.find((candidate) => candidate.name === port || String(candidate.port) === port);
  if (!wanted)
    throw new StatusError(
      503,
      "ServiceUnavailable",
      `no service port ${JSON.stringify(port)} found for service ${JSON.stringify(name)}`,
    );
  const endpoints = cluster.get(apis.endpoints, namespace, name) as unknown as Endpoints | undefined; // checked by the registry
  const choices = (endpoints?.subsets ?? []).flatMap(({ addresses = [], ports: offered = [] }) => {
    const match = offered.find((candidate) => (candidate.name ?? "") === (wanted.name ?? ""));
    return match ? addresses.map(({ ip }) => ({ address: ip, port: match.port })) : [];
  });
  const chosen = choices[Math.floor(Math.random() * choices.length)];
  if (!chosen)
    throw new StatusError(503, "ServiceUnavailable", `no endpoints available for service ${JSON.stringify(name)}`);
  return chosen;
}
