import { timestampOf } from "@/server/sandbox/objects/meta";
import { type ContainerState, type Terminated } from "@/server/sandbox/objects/pod";
import { type Exit } from "@/server/sandbox/programs/program";
import { type ContainerContext } from "./container-context";
import { type FileSystem } from "./file-system";

/** The end of a longer termination message is what is kept of it. */
const MESSAGE_BYTES_MAX = 4_096;

type Why = Pick<Terminated, "reason" | "message" | "startedAt">;

/** The state after a run, with what the run left as its last words. */
export function terminatedState(
  { pod, container }: ContainerContext,
  exit: Exit,
  why: Why,
  { files, containerID }: { files: FileSystem | null; containerID: string | undefined },
): ContainerState {
  const said = files?.read(container.terminationMessagePath ?? "/dev/termination-log");
  const message = said?.subarray(-MESSAGE_BYTES_MAX).toString();
  return {
    terminated: {
      exitCode: exit.code,
      ...(exit.signal ? { signal: exit.signal } : {}),
      ...(message ? { message } : {}),
      ...why,
      finishedAt: timestampOf(pod.clock.now()),
      containerID,
    },
  };
}
