import { execInContainer } from "@/server/sandbox/kubelet/run-in-container";
import { type ContainerLife } from "@/server/sandbox/kubelet/container-life";
import { type Input } from "@/server/sandbox/programs/program";
import { badRequestError, internalError } from "@/server/sandbox/status-error";
import { type UpgradeRequest } from "./connects";
import { podTarget } from "./pod-target";
import { openRemoteStreams } from "./open-remote-streams";
import { exitedWith, failedWith, success } from "./remote-streams";

/** kubectl exec: a command beside the container's own program. */
export async function execIn(request: UpgradeRequest): Promise<void> {
  const { call, cluster, kubelet } = request;
  const { pod, container, life, podLife } = podTarget(cluster, kubelet, call);
  const phase = pod.status?.phase;
  if (phase === "Succeeded" || phase === "Failed") {
    throw badRequestError(`cannot exec into a container in a completed pod; current phase is ${phase}`);
  }
  if (!life?.isRunning() || !podLife)
    throw internalError(`error executing command in container: container not found ("${container}")`);
  const argv = call.query.getAll("command");
  if (argv.length === 0) throw badRequestError("you must specify at least 1 command for the container");
  const streams = await openRemoteStreams(request);
  const process = execInContainer(life, podLife.context, argv, {
    stdin: streams.stdin,
    stdout: streams.stdout,
    stderr: call.query.get("tty") === "true" ? streams.stdout : streams.stderr,
  });
  if (!process) {
    const why = `failed to exec in container: OCI runtime exec failed: exec failed: unable to start container process: exec: "${argv[0] ?? ""}": executable file not found in $PATH: unknown`;
    streams.finish(failedWith(`error executing command in container: ${why}`));
    return;
  }
  void streams.closed.then(() => process.signal("SIGKILL"));
  void life.finished.then(() => process.signal("SIGKILL"));
  const { code } = await process.exited;
  streams.finish(exitedWith(code));
}

/** kubectl attach: what the container's own program says from now on, and what it is told. */
export async function attachTo(request: UpgradeRequest): Promise<void> {
  const { call, cluster, kubelet } = request;
  const { life, container } = podTarget(cluster, kubelet, call);
  if (!life?.isRunning()) throw internalError(`unable to upgrade connection: container ${container} not found in pod`);
  const streams = await openRemoteStreams(request);
  const detach = life.attach((stream, chunk) =>
    stream === "stdout" || life.container.tty ? streams.stdout(chunk) : streams.stderr(chunk),
  );
  if (call.query.get("stdin") === "true") void feed(streams.stdin, life);
  const ended = life.log(false)?.ended ?? Promise.resolve();
  await Promise.race([streams.closed, ended]);
  detach();
  streams.finish(success);
}

/** The program hears of the end of its input only if it was to have one terminal in its life. */
async function feed(from: Input, life: ContainerLife) {
  const to = life.stdin();
  for (let chunk = await from.read(); chunk !== null; chunk = await from.read()) to?.write(chunk);
  if (life.container.stdinOnce) to?.end();
}
