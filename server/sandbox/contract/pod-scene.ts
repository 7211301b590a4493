import { at, BUSYBOX, createScene, make, running, type Scene } from "@/server/sandbox/contract/scene";

type State = {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: { exitCode: number; reason: string; message?: string };
};
export type ContainerStatus = {
  name: string;
  ready: boolean;
  started?: boolean;
  restartCount: number;
  state: State;
  lastState: State;
  image: string;
  containerID: string;
};
type Condition = { type: string; status: string; reason?: string; message?: string };
export type Pod = {
  metadata: { name: string; uid: string; deletionTimestamp?: string; deletionGracePeriodSeconds?: number };
  spec: { nodeName: string };
  status: {
    phase: string;
    podIP: string;
    hostIP: string;
    startTime: string;
    qosClass: string;
    conditions: Condition[];
    containerStatuses: ContainerStatus[];
    initContainerStatuses: ContainerStatus[];
  };
};
export type Endpoints = {
  subsets?: {
    addresses?: { ip: string; targetRef: { name: string } }[];
    notReadyAddresses?: { ip: string }[];
    ports: { name?: string; port: number }[];
  }[];
};

const web = "mkdir -p /www; echo hello > /www/index.html; echo started; echo second >&2; exec httpd -f -p 8080 -h /www";
const exec = (...command: string[]) => ({ exec: { command } });

/** The pods that all cases look at, each in a plight of its own. */
export const setUpPods = createScene(async (scene) => {
  const pod = (name: string, spec: Record<string, unknown>, labels: Record<string, string> = {}) =>
    make(scene, { kind: "Pod", metadata: { name, labels }, spec });
  await make(scene, {
    kind: "ConfigMap",
    metadata: { name: "settings" },
    data: { color: "green", "file.txt": "from a file" },
  });
  await make(scene, { kind: "Secret", metadata: { name: "token" }, stringData: { password: "s3cret" } });
  await make(scene, {
    kind: "Service",
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: "http" }] },
  });
  await pod(
    "web",
    running(web, {
      ports: [{ name: "http", containerPort: 8080 }],
      readinessProbe: { httpGet: { path: "/index.html", port: "http" }, periodSeconds: 1 },
    }),
    { app: "web" },
  );
  await pod(
    "gated",
    running("sleep 3600", { readinessProbe: { ...exec("cat", "/tmp/ready"), periodSeconds: 1, failureThreshold: 1 } }),
  );
  await pod("crashing", running("echo last words; exit 3"));
  await pod(
    "sick",
    running("sleep 3600", {
      livenessProbe: { ...exec("sh", "-c", "echo unwell; false"), periodSeconds: 1, failureThreshold: 1 },
    }),
  );
  await pod("done", running("echo finished; echo -n noted > /dev/termination-log", {}, { restartPolicy: "Never" }));
  await pod("unpullable", {
    ...running("true"),
    containers: [{ name: "main", image: "localhost/absent:1", imagePullPolicy: "IfNotPresent" }],
  });
  await pod("unpulled", {
    ...running("true"),
    containers: [{ name: "main", image: "localhost/absent:2", imagePullPolicy: "Never" }],
  });
  await pod("huge", running("true", { resources: { requests: { cpu: "10000" } } }));
  await pod("picky", running("true", {}, { nodeSelector: { "contract.orrery.dev/node": "none" } }));
  await pod("unconfigured", running("true", { envFrom: [{ configMapRef: { name: "absent" } }] }));
  const volumes = [
    { name: "shared", emptyDir: {} },
    { name: "settings", configMap: { name: "settings" } },
  ];
  const volumeMounts = [
    { name: "shared", mountPath: "/shared" },
    { name: "settings", mountPath: "/settings" },
  ];
  const env = [
    { name: "COLOR", valueFrom: { configMapKeyRef: { name: "settings", key: "color" } } },
    { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "token", key: "password" } } },
    { name: "WHO", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name: "GREETING", value: "I am $(WHO)" },
  ];
  const initContainers = [
    { name: "first", image: BUSYBOX, command: ["sh", "-c", "echo one > /shared/order"], volumeMounts },
    { name: "second", image: BUSYBOX, command: ["sh", "-c", "echo two >> /shared/order"], volumeMounts },
  ];
  const main = running(
    "cat /shared/order /settings/file.txt; echo; echo $COLOR $PASSWORD $GREETING",
    { volumeMounts, env },
    { restartPolicy: "Never", initContainers, volumes },
  );
  await pod("equipped", main);
  await pod(
    "aborted",
    running(
      "true",
      {},
      { restartPolicy: "Never", initContainers: [{ name: "setup", image: BUSYBOX, command: ["sh", "-c", "exit 9"] }] },
    ),
  );
  await pod("patient", { ...running("trap 'exit 0' TERM; sleep 3600 & wait"), terminationGracePeriodSeconds: 20 });
});

export const log = async (scene: Scene, name: string, query = "") =>
  (await scene.target.send("GET", `${at(scene, "Pod", name)}/log${query}`)).text;
export const only = (pod: Pod): ContainerStatus => pod.status.containerStatuses[0] ?? missing();
export const condition = (pod: Pod, type: string) => pod.status.conditions.find((candidate) => candidate.type === type);
export const isReady = (pod: Pod) => condition(pod, "Ready")?.status === "True";
export const waits = (reason: string) => (pod: Pod) =>
  (pod.status.containerStatuses as ContainerStatus[] | undefined)?.[0]?.state.waiting?.reason === reason;

function missing(): never {
  throw new Error("the pod has no container status");
}
