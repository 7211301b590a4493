import operatorModule, { type ResourceEvent } from "@dot-i/k8s-operator";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { contestantTask } from "../contestant";

const { group, namespace } = contestantTask();
// A CommonJS package: its default export arrives inside of another one.
const Operator = (operatorModule as unknown as { default: typeof operatorModule }).default;

/** The loop on @dot-i/k8s-operator. */
class Benchlets extends Operator {
  protected async init(): Promise<void> {
    await this.watchResource(group, "v1", "benchlets", (event) => this.reconcile(event), namespace);
  }

  private async reconcile({ meta, object }: ResourceEvent): Promise<void> {
    const { spec, status } = object as KubernetesObject; // what a watch gives
    if (status?.value === spec?.value) return;
    await this.patchResourceStatus(meta, { phase: "Ready", value: spec?.value });
  }
}

await new Benchlets().start();
process.send?.("ready");
