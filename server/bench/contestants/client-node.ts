import {
  CustomObjectsApi,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from "@kubernetes/client-node";
import { benchletStatusOf } from "../benchlet";
import { contestantTask } from "../contestant";

type Benchlet = KubernetesObject & { spec?: { value: number }; status?: { value?: number } };

/** The loop on the informer of @kubernetes/client-node, as its own examples write it. */
const { group, namespace } = contestantTask();
const config = new KubeConfig();
config.loadFromDefault();
const client = config.makeApiClient(CustomObjectsApi);
const at = { group, version: "v1", namespace, plural: "benchlets" };
// The generated client gives any object of a custom kind.
const list = async () => (await client.listNamespacedCustomObject(at)) as { items: Benchlet[] };
const informer = makeInformer<Benchlet>(config, `/apis/${group}/v1/namespaces/${namespace}/benchlets`, list);
const reconcile = (object: Benchlet) => {
  const value = object.spec?.value ?? 0;
  if (object.status?.value === value) return;
  const body = { status: benchletStatusOf(object.metadata?.generation ?? 0, value, Date.now()) };
  const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
  void client.patchNamespacedCustomObjectStatus({ ...at, name: object.metadata?.name ?? "", body }, merge);
};
informer.on("add", reconcile);
informer.on("update", reconcile);
informer.on("connect", () => void process.send?.("ready"));
await informer.start();
