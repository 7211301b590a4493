import { GenericKind, K8s, RegisterKind } from "kubernetes-fluent-client";
import { benchletStatusOf } from "../benchlet";
import { contestantTask } from "../contestant";

/** The loop on kubernetes-fluent-client, the base of pepr. */
const { group, namespace } = contestantTask();
class Benchlet extends GenericKind {
  declare spec?: { value: number };
  declare status?: ReturnType<typeof benchletStatusOf>;
}
RegisterKind(Benchlet, { group, version: "v1", kind: "Benchlet", plural: "benchlets" });

const watcher = K8s(Benchlet)
  .InNamespace(namespace)
  .Watch(async (object) => {
    const value = object.spec?.value;
    if (value === undefined || object.status?.value === value) return;
    await K8s(Benchlet).PatchStatus({
      metadata: { name: object.metadata?.name, namespace },
      spec: { value },
      status: benchletStatusOf(object.metadata?.generation ?? 0, value, Date.now()),
    });
  });
watcher.events.once("connect", () => void process.send?.("ready"));
await watcher.start();
