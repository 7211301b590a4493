import operatorModule, { type ResourceEvent } from "@dot-i/k8s-operator";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { benchletStatusOf } from "../benchlet";
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
    const { metadata, spec, status } = object as KubernetesObject; // what a watch gives
    const value = Number(spec?.value);
    if (status?.value === value) return;
    await this.patchResourceStatus(meta, benchletStatusOf(metadata.generation ?? 0, value, Date.now()));
  }
}

await new Benchlets().start();
process.send?.("ready");
