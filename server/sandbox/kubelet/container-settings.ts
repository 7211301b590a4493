import { BACK_OFF_FIRST_MS } from "./back-off";
import { type ContainerContext } from "./container-context";
import { type FileSystem } from "./file-system";
import { containerFiles, environmentOf, MissingReference } from "./pod-environment";

/** What a container starts with. */
export type ContainerSettings = { env: Readonly<Record<string, string>>; files: FileSystem };

/** Waits until everything that the container refers to is there; null when it ends before. */
export async function obtainSettings({
  pod,
  container,
  halt,
  record,
  become,
}: ContainerContext): Promise<ContainerSettings | null> {
  while (!halt.aborted) {
    try {
      return {
        env: environmentOf(pod.pod(), container, pod.sources),
        files: containerFiles(container, pod.volumes(), pod.pod(), () => pod.clock.now()),
      };
    } catch (error) {
      if (!(error instanceof MissingReference)) throw error;
      record("Warning", "Failed", `Error: ${error.message}`);
      become({ waiting: { reason: "CreateContainerConfigError", message: error.message } });
      await pod.clock.sleep(BACK_OFF_FIRST_MS, halt);
    }
  }
  return null;
}
