import { BACK_OFF_FIRST_MS, nextBackOffMs } from "./back-off";
import { type ContainerContext } from "./container-context";
import { pullsAlways } from "./images";

/** Waits until the image is there, however often it takes; false when the container ends before. */
export async function obtainImage(context: ContainerContext): Promise<boolean> {
  const { pod, container, halt, record, become } = context;
  const { clock, trouble, images } = pod;
  const { image, imagePullPolicy: policy } = container;
  for (let backOffMs = BACK_OFF_FIRST_MS; !halt.aborted; backOffMs = nextBackOffMs(backOffMs)) {
    const made = trouble.pullError(container.name);
    if (made === null && images.isPresent(image) && !pullsAlways(image, policy)) {
      record("Normal", "Pulled", `Container image "${image}" already present on machine`);
      return true;
    }
    if (policy === "Never") {
      const message = `Container image "${image}" is not present with pull policy of Never`;
      record("Warning", "ErrImageNeverPull", message);
      become({ waiting: { reason: "ErrImageNeverPull", message } });
      await clock.sleep(BACK_OFF_FIRST_MS, halt);
      continue;
    }
    record("Normal", "Pulling", `Pulling image "${image}"`);
    if (trouble.pullDelayMs > 0) await clock.sleep(trouble.pullDelayMs, halt);
    const failure = made ?? images.pull(image);
    if (failure === null) {
      const took = `${trouble.pullDelayMs / 1_000}s`;
      record("Normal", "Pulled", `Successfully pulled image "${image}" in ${took} (${took} including waiting)`);
      return !isHalted(context);
    }
    await failPull(context, failure, backOffMs);
  }
  return false;
}

async function failPull(
  { pod, container, halt, record, become }: ContainerContext,
  failure: string,
  backOffMs: number,
) {
  const { image } = container;
  record("Warning", "Failed", `Failed to pull image "${image}": ${failure}`);
  record("Warning", "Failed", "Error: ErrImagePull");
  become({ waiting: { reason: "ErrImagePull", message: failure } });
  // The kubelet looks at the pod again after a moment and then finds the image in back-off.
  const lookAgainMs = Math.min(2_000, backOffMs);
  await pod.clock.sleep(lookAgainMs, halt);
  if (halt.aborted) return;
  record("Normal", "BackOff", `Back-off pulling image "${image}"`);
  record("Warning", "Failed", "Error: ImagePullBackOff");
  become({ waiting: { reason: "ImagePullBackOff", message: `Back-off pulling image "${image}"` } });
  await pod.clock.sleep(backOffMs - lookAgainMs, halt);
}

/** Asked again after an await, which the compiler takes for unchanged. */
function isHalted({ halt }: ContainerContext): boolean {
  return halt.aborted;
}
