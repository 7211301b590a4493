import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { runRemotely } from "@/server/sandbox/contract/remote-command";
import {
  at,
  BUSYBOX,
  createScene,
  eventOf,
  gone,
  make,
  running,
  type Scene,
  seen,
} from "@/server/sandbox/contract/scene";
import { until } from "@/server/sandbox/contract/target";
import { packTar, unpackTar } from "@/server/sandbox/programs/tar";

type State = {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: { exitCode: number; reason: string; message?: string };
};
type ContainerStatus = {
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
type Pod = {
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
type Endpoints = {
  subsets?: {
    addresses?: { ip: string; targetRef: { name: string } }[];
    notReadyAddresses?: { ip: string }[];
    ports: { name?: string; port: number }[];
  }[];
};

const web = "mkdir -p /www; echo hello > /www/index.html; echo started; echo second >&2; exec httpd -f -p 8080 -h /www";
const exec = (...command: string[]) => ({ exec: { command } });

const setUp = createScene(async (scene) => {
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

const log = async (scene: Scene, name: string, query = "") =>
  (await scene.target.send("GET", `${at(scene, "Pod", name)}/log${query}`)).text;
const only = (pod: Pod): ContainerStatus => pod.status.containerStatuses[0] ?? missing();
const condition = (pod: Pod, type: string) => pod.status.conditions.find((candidate) => candidate.type === type);
const isReady = (pod: Pod) => condition(pod, "Ready")?.status === "True";
const waits = (reason: string) => (pod: Pod) =>
  (pod.status.containerStatuses as ContainerStatus[] | undefined)?.[0]?.state.waiting?.reason === reason;

function missing(): never {
  throw new Error("the pod has no container status");
}

export const podsContract = topic(
  "pods",
  (promises) => {
    promises(
      "a pod is scheduled, gets an address, runs and becomes ready, and each step is an event",
      async (target) => {
        const scene = await setUp(target);
        const pod = await seen<Pod>(scene, "Pod", "web", isReady);
        expect(pod.status).toMatchObject({
          phase: "Running",
          podIP: expect.stringMatching(/^[0-9.]+$/),
          hostIP: expect.stringMatching(/^[0-9.]+$/),
          qosClass: "BestEffort",
        });
        expect(only(pod)).toMatchObject({
          name: "main",
          ready: true,
          started: true,
          restartCount: 0,
          image: expect.stringContaining("busybox"),
          state: { running: { startedAt: expect.any(String) } },
        });
        expect(
          ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => condition(pod, type)?.status),
        ).toEqual(["True", "True", "True", "True"]);
        await eventOf(
          scene,
          "web",
          "Scheduled",
          `Successfully assigned ${scene.namespace}/web to ${pod.spec.nodeName}`,
        );
        await eventOf(scene, "web", "Pulled", new RegExp(`^Container image "${BUSYBOX}" already present on machine`));
        const started = await eventOf(scene, "web", "Started", /^(Started container main|Container started)$/);
        expect(started).toMatchObject({
          type: "Normal",
          source: { component: "kubelet" },
          involvedObject: { fieldPath: "spec.containers{main}" },
        });
      },
    );

    promises("a ready pod is an endpoint of its service, by the port's name", async (target) => {
      const scene = await setUp(target);
      const pod = await seen<Pod>(scene, "Pod", "web", isReady);
      const { subsets } = await seen<Endpoints>(
        scene,
        "Endpoints",
        "web",
        (endpoints) => (endpoints.subsets?.[0]?.addresses ?? []).length > 0,
      );
      expect(subsets).toMatchObject([
        {
          addresses: [{ ip: pod.status.podIP, targetRef: { kind: "Pod", name: "web" } }],
          ports: [{ name: "http", port: 8080, protocol: "TCP" }],
        },
      ]);
    });

    promises("the log can be read whole, from its end, with times; a wrong container is told", async (target) => {
      const scene = await setUp(target);
      await seen<Pod>(scene, "Pod", "web", isReady);
      await until("the log", async () => (await log(scene, "web")).includes("second"));
      expect((await log(scene, "web")).split("\n").sort()).toEqual(["", "second", "started"]);
      expect((await log(scene, "web", "?tailLines=1")).trimEnd().split("\n")).toHaveLength(1);
      expect(await log(scene, "web", "?timestamps=true&tailLines=1")).toMatch(
        /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+) (started|second)\n$/,
      );
      const wrong = await target.send("GET", `${at(scene, "Pod", "web")}/log?container=other`);
      expect([wrong.status, wrong.message]).toEqual([400, "container other is not valid for pod web"]);
      const previous = await target.send("GET", `${at(scene, "Pod", "web")}/log?previous=true`);
      expect([previous.status, previous.message]).toEqual([
        400,
        'previous terminated container "main" in pod "web" not found',
      ]);
    });

    promises("a command in a container has its streams and its exit code", async (target) => {
      const scene = await setUp(target);
      await seen<Pod>(scene, "Pod", "web", isReady);
      const path = at(scene, "Pod", "web");
      const told = await runRemotely(
        target,
        path,
        ["sh", "-c", "read line; echo out $line; echo err >&2"],
        Buffer.from("fed\n"),
      );
      expect([told.stdout.toString(), told.stderr, told.status]).toEqual([
        "out fed\n",
        "err\n",
        { metadata: {}, status: "Success" },
      ]);
      const failed = await runRemotely(target, path, ["sh", "-c", "exit 5"]);
      expect(failed.status).toMatchObject({
        status: "Failure",
        reason: "NonZeroExitCode",
        details: { causes: [{ reason: "ExitCode", message: "5" }] },
      });
    });

    promises("files go in and out of a container by tar", async (target) => {
      const scene = await setUp(target);
      await seen<Pod>(scene, "Pod", "web", isReady);
      const path = at(scene, "Pod", "web");
      const entry = { type: "file" as const, data: Buffer.from("carried"), mode: 0o640, mtimeMs: 1_600_000_000_000 };
      const archive = packTar([{ path: "parcel/file", entry }]);
      // The protocol has no end of input, so the receiver is told how much to read.
      const receive = `head -c ${archive.length} > /tmp/parcel.tar && tar xf /tmp/parcel.tar -C /tmp`;
      const into = await runRemotely(target, path, ["sh", "-c", receive], archive);
      expect(into.status.status).toBe("Success");
      const out = await runRemotely(target, path, ["tar", "cf", "-", "-C", "/tmp", "parcel"]);
      const files = unpackTar(out.stdout).filter(({ entry: found }) => found.type === "file");
      expect(
        files.map(({ path: name, entry: found }) => [
          name.replace(/^\.\//, ""),
          found.type === "file" ? found.data.toString() : "",
        ]),
      ).toEqual([["parcel/file", "carried"]]);
    });

    promises(
      "a pod's port and a service's port answer through the API server; a closed one is told",
      async (target) => {
        const scene = await setUp(target);
        await seen<Pod>(scene, "Pod", "web", isReady);
        await seen<Endpoints>(
          scene,
          "Endpoints",
          "web",
          (endpoints) => (endpoints.subsets?.[0]?.addresses ?? []).length > 0,
        );
        const viaPod = await target.send("GET", `${at(scene, "Pod", "web")}:8080/proxy/index.html`);
        expect([viaPod.status, viaPod.text]).toEqual([200, "hello\n"]);
        const viaService = await target.send("GET", `${at(scene, "Service", "web")}:http/proxy/index.html`);
        expect([viaService.status, viaService.text]).toEqual([200, "hello\n"]);
        const closed = await target.send("GET", `${at(scene, "Pod", "web")}:81/proxy/`);
        // Before 1.21 the answer was plain text with another code.
        expect(closed.status).toBe(target.minor < 21 ? 500 : 503);
        expect(closed.text).toMatch(/dial tcp [0-9.]+:81: connect: connection refused/);
      },
    );

    promises("a pod is ready when its probe says so, and no longer when it does not", async (target) => {
      const scene = await setUp(target);
      const before = await seen<Pod>(scene, "Pod", "gated", ({ status }) => status.phase === "Running");
      expect(condition(before, "Ready")).toMatchObject({
        status: "False",
        reason: "ContainersNotReady",
        message: "containers with unready status: [main]",
      });
      const { message, type } = await eventOf(scene, "gated", "Unhealthy");
      expect([type, message.trimEnd()]).toEqual([
        "Warning",
        expect.stringMatching(/^Readiness probe failed: cat: can't open '\/tmp\/ready': No such file or directory$/),
      ]);
      await runRemotely(target, at(scene, "Pod", "gated"), ["touch", "/tmp/ready"]);
      await seen<Pod>(scene, "Pod", "gated", isReady);
      await runRemotely(target, at(scene, "Pod", "gated"), ["rm", "/tmp/ready"]);
      await seen<Pod>(scene, "Pod", "gated", (pod) => !isReady(pod));
    });

    promises("a container that ends is started again, ever more slowly, and its last end is kept", async (target) => {
      const scene = await setUp(target);
      const pod = await seen<Pod>(scene, "Pod", "crashing", waits("CrashLoopBackOff"));
      expect(only(pod).lastState.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
      expect(only(pod).restartCount).toBeGreaterThanOrEqual(1);
      expect(only(pod).state.waiting?.message).toMatch(
        new RegExp(
          `^back-off [0-9ms]+ restarting failed container=main pod=crashing_${scene.namespace}\\(${pod.metadata.uid}\\)$`,
        ),
      );
      expect(await eventOf(scene, "crashing", "BackOff", /^Back-off restarting failed container/)).toMatchObject({
        type: "Warning",
      });
      expect(await log(scene, "crashing", "?previous=true")).toBe("last words\n");
    });

    promises("a container whose liveness probe fails is killed and started again", async (target) => {
      const scene = await setUp(target);
      await eventOf(scene, "sick", "Unhealthy", /^Liveness probe failed: unwell\s*$/);
      await eventOf(scene, "sick", "Killing", "Container main failed liveness probe, will be restarted");
      const pod = await seen<Pod>(
        scene,
        "Pod",
        "sick",
        ({ status }) => ((status.containerStatuses as ContainerStatus[] | undefined)?.[0]?.restartCount ?? 0) >= 1,
      );
      expect(only(pod).lastState.terminated).toMatchObject({ exitCode: 137 });
    });

    promises(
      "a pod that is over says so, keeps its log and its last message, and takes no more commands",
      async (target) => {
        const scene = await setUp(target);
        const pod = await seen<Pod>(scene, "Pod", "done", ({ status }) => status.phase === "Succeeded");
        expect(only(pod).state.terminated).toMatchObject({ exitCode: 0, reason: "Completed", message: "noted" });
        expect(condition(pod, "Ready")).toMatchObject({ status: "False", reason: "PodCompleted" });
        expect(await log(scene, "done")).toBe("finished\n");
        const refused = await runRemotely(target, at(scene, "Pod", "done"), ["true"]).catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(Error);
      },
    );

    promises("an image that cannot be pulled is tried, backed off from, and told", async (target) => {
      const scene = await setUp(target);
      const pod = await seen<Pod>(scene, "Pod", "unpullable", waits("ImagePullBackOff"));
      expect(only(pod).state.waiting?.message).toContain('Back-off pulling image "localhost/absent:1"');
      expect(pod.status.phase).toBe("Pending");
      await eventOf(scene, "unpullable", "Pulling", 'Pulling image "localhost/absent:1"');
      expect(
        await eventOf(scene, "unpullable", "Failed", /^Failed to pull image "localhost\/absent:1": /),
      ).toMatchObject({ type: "Warning" });
      await eventOf(scene, "unpullable", "Failed", "Error: ErrImagePull");
      await eventOf(scene, "unpullable", "BackOff", /^Back-off pulling image "localhost\/absent:1"/);
      const never = await seen<Pod>(scene, "Pod", "unpulled", waits("ErrImageNeverPull"));
      expect(only(never).state.waiting?.message).toBe(
        'Container image "localhost/absent:2" is not present with pull policy of Never',
      );
    });

    promises("a pod that fits nowhere waits, and is told why", async (target) => {
      const scene = await setUp(target);
      const { message, type } = await eventOf(scene, "huge", "FailedScheduling");
      expect(type).toBe("Warning");
      expect(message).toMatch(/^0\/1 nodes are available: 1 Insufficient cpu\./);
      const pod = await seen<Pod>(
        scene,
        "Pod",
        "huge",
        (candidate) => condition(candidate, "PodScheduled") !== undefined,
      );
      expect(condition(pod, "PodScheduled")).toMatchObject({ status: "False", reason: "Unschedulable", message });
      expect(pod.status.phase).toBe("Pending");
      expect((await eventOf(scene, "picky", "FailedScheduling")).message).toMatch(
        /^0\/1 nodes are available: 1 node\(s\) didn't match (Pod's )?node (affinity\/)?(selector|affinity)/,
      );
    });

    promises("configuration that is missing keeps a container from starting, and is named", async (target) => {
      const scene = await setUp(target);
      const pod = await seen<Pod>(scene, "Pod", "unconfigured", waits("CreateContainerConfigError"));
      expect(only(pod).state.waiting?.message).toBe('configmap "absent" not found');
      expect(await eventOf(scene, "unconfigured", "Failed", 'Error: configmap "absent" not found')).toMatchObject({
        type: "Warning",
      });
      await make(scene, { kind: "ConfigMap", metadata: { name: "absent" }, data: {} });
    });

    promises(
      "init containers run one after the other; volumes, configuration and the pod's own fields reach the container",
      async (target) => {
        const scene = await setUp(target);
        const pod = await seen<Pod>(scene, "Pod", "equipped", ({ status }) => status.phase === "Succeeded");
        expect(await log(scene, "equipped", "?container=main")).toBe(
          "one\ntwo\nfrom a file\ngreen s3cret I am equipped\n",
        );
        expect(pod.status.initContainerStatuses.map(({ name, state }) => [name, state.terminated?.reason])).toEqual([
          ["first", "Completed"],
          ["second", "Completed"],
        ]);
        const failed = await seen<Pod>(scene, "Pod", "aborted", ({ status }) => status.phase === "Failed");
        expect(failed.status.initContainerStatuses[0]?.state.terminated).toMatchObject({
          exitCode: 9,
          reason: "Error",
        });
        expect(condition(failed, "Initialized")).toMatchObject({
          status: "False",
          reason: "ContainersNotInitialized",
          message: "containers with incomplete status: [setup]",
        });
        expect(only(failed).state.waiting?.reason).toBe("PodInitializing");
      },
    );

    promises("a pod that is deleted is given its time, uses what it needs of it, and goes", async (target) => {
      const scene = await setUp(target);
      await seen<Pod>(scene, "Pod", "patient", ({ status }) => status.phase === "Running");
      const { status, object } = await target.send("DELETE", at(scene, "Pod", "patient"));
      expect(status).toBe(200);
      expect(object.metadata).toMatchObject({ deletionGracePeriodSeconds: 20, deletionTimestamp: expect.any(String) });
      await eventOf(scene, "patient", "Killing", "Stopping container main");
      await gone(scene, "Pod", "patient");
    });
  },
  { shareScene: true },
);
