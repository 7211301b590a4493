import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import {
  condition,
  type ContainerStatus,
  isReady,
  log,
  only,
  type Pod,
  setUpPods,
  waits,
} from "@/server/sandbox/contract/pod-scene";
import { runRemotely } from "@/server/sandbox/contract/remote-command";
import { at, eventOf, gone, make, running, seen } from "@/server/sandbox/contract/scene";
import { until } from "@/server/sandbox/contract/target";

export const podLivesContract = topic(
  "lives and troubles of pods",
  (promises) => {
    promises("a pod is ready when its probe says so, and no longer when it does not", async (target) => {
      const scene = await setUpPods(target);
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
      const scene = await setUpPods(target);
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
      // A kubelet that has just started it again may still point to a log that it has cleared away.
      const lastWords = async () => (await log(scene, "crashing", "?previous=true")) === "last words\n";
      await until("the log of the container that ended", lastWords);
    });

    promises("a container whose liveness probe fails is killed and started again", async (target) => {
      const scene = await setUpPods(target);
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
        const scene = await setUpPods(target);
        const pod = await seen<Pod>(scene, "Pod", "done", ({ status }) => status.phase === "Succeeded");
        expect(only(pod).state.terminated).toMatchObject({ exitCode: 0, reason: "Completed", message: "noted" });
        expect(condition(pod, "Ready")).toMatchObject({ status: "False", reason: "PodCompleted" });
        expect(await log(scene, "done")).toBe("finished\n");
        const refused = await runRemotely(target, at(scene, "Pod", "done"), ["true"]).catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(Error);
      },
    );

    promises("an image that cannot be pulled is tried, backed off from, and told", async (target) => {
      const scene = await setUpPods(target);
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
      const scene = await setUpPods(target);
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
      const scene = await setUpPods(target);
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
        const scene = await setUpPods(target);
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
      const scene = await setUpPods(target);
      await seen<Pod>(scene, "Pod", "patient", ({ status }) => status.phase === "Running");
      const { status, object } = await target.send("DELETE", at(scene, "Pod", "patient"));
      expect(status).toBe(200);
      expect(object.metadata).toMatchObject({ deletionGracePeriodSeconds: 20, deletionTimestamp: expect.any(String) });
      await eventOf(scene, "patient", "Killing", "Stopping container main");
      await gone(scene, "Pod", "patient");
    });

    promises("a pod that is deleted without any time tells that its container is stopped, too", async (target) => {
      const scene = { target, namespace: await target.namespace() };
      await make(scene, { kind: "Pod", metadata: { name: "hasty" }, spec: running("sleep 100000") });
      await seen<Pod>(scene, "Pod", "hasty", ({ status }) => status.phase === "Running");
      await target.send("DELETE", `${at(scene, "Pod", "hasty")}?gracePeriodSeconds=0`);
      await eventOf(scene, "hasty", "Killing", "Stopping container main");
    });
  },
  { shareScene: true },
);
