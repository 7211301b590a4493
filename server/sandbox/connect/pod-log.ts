import { type ContainerLog, type LogLine } from "@/server/sandbox/kubelet/container-log";
import { badRequestError } from "@/server/sandbox/status-error";
import { type ServeRequest } from "./connects";
import { podTarget, type PodTarget } from "./pod-target";

/** GET …/log: all of it or its end, from a time on, with times, followed until the container or the reader ends. */
export async function serveLog({ call, cluster, kubelet, response }: ServeRequest): Promise<void> {
  const { query } = call;
  const target = podTarget(cluster, kubelet, call);
  const log = logOf(target, query.get("previous") === "true");
  const shown = (line: LogLine) =>
    query.get("timestamps") === "true" ? `${nanoTime(line.atMs)} ${line.text}\n` : `${line.text}\n`;
  const text = chosen(log?.lines() ?? [], query, cluster.clock.now())
    .map(shown)
    .join("");
  const limit = query.get("limitBytes");
  response.writeHead(200, { "content-type": "text/plain" });
  const rest = limit === null ? text : Buffer.from(text).subarray(0, Number(limit)).toString();
  if (query.get("follow") !== "true" || !log) {
    response.end(rest);
    return;
  }
  response.flushHeaders();
  if (rest !== "") response.write(rest);
  const unfollow = log.follow((line) => response.write(shown(line)));
  await Promise.race([log.ended, new Promise((resolve) => response.on("close", resolve))]);
  unfollow();
  response.end();
}

function logOf({ pod, container, life }: PodTarget, previous: boolean): ContainerLog | null {
  const log = life?.log(previous) ?? null;
  if (log) return log;
  const { name } = pod.metadata;
  if (previous) throw badRequestError(`previous terminated container "${container}" in pod "${name}" not found`);
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const statuses = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  const waiting = statuses.find((status) => status.name === container)?.state.waiting;
  // A pod that was over before this process started has left no log.
  if (!waiting && statuses.length > 0) return null;
  throw badRequestError(
    `container "${container}" in pod "${name}" is waiting to start: ${waiting?.message && waiting.reason !== "PodInitializing" ? waiting.reason : (waiting?.reason ?? "ContainerCreating")}`,
  );
}

function chosen(lines: readonly LogLine[], query: URLSearchParams, now: number): readonly LogLine[] {
  const sinceSeconds = query.get("sinceSeconds");
  const sinceTime = query.get("sinceTime");
  const fromMs =
    sinceSeconds !== null ? now - Number(sinceSeconds) * 1_000 : sinceTime !== null ? Date.parse(sinceTime) : 0;
  const recent = lines.filter(({ atMs }) => atMs >= fromMs);
  const tail = query.get("tailLines");
  if (tail === null) return recent;
  return Number(tail) === 0 ? [] : recent.slice(-Number(tail));
}

function nanoTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000000Z");
}
