import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import {
  condition,
  type Endpoints,
  isReady,
  log,
  only,
  type Pod,
  setUpPods,
} from "@/server/sandbox/contract/pod-scene";
import { runRemotely } from "@/server/sandbox/contract/remote-command";
import { at, BUSYBOX, eventOf, listed, seen } from "@/server/sandbox/contract/scene";
import { until } from "@/server/sandbox/contract/target";
import { packTar, unpackTar } from "@/server/sandbox/programs/tar";

type Slice = { endpoints?: { conditions: { ready?: boolean } }[] };

export const podsContract = topic(
  "pods",
  (promises) => {
    promises(
      "a pod is scheduled, gets an address, runs and becomes ready, and each step is an event",
      async (target) => {
        const scene = await setUpPods(target);
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
      const scene = await setUpPods(target);
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

    promises(
      "a ready pod is in the slice of its service, under the service's name",
      async (target) => {
        const scene = await setUpPods(target);
        const pod = await seen<Pod>(scene, "Pod", "web", isReady);
        const query = "?labelSelector=kubernetes.io/service-name=web";
        const isServing = ({ endpoints }: Slice) => endpoints?.[0]?.conditions.ready === true;
        await until("the slice", async () => (await listed<Slice>(scene, "EndpointSlice", query)).some(isServing));
        expect(await listed(scene, "EndpointSlice", query)).toMatchObject([
          {
            addressType: "IPv4",
            endpoints: [{ addresses: [pod.status.podIP], targetRef: { kind: "Pod", name: "web" } }],
            ports: [{ name: "http", port: 8080, protocol: "TCP" }],
          },
        ]);
      },
      { since: 21 },
    );

    promises("the log can be read whole, from its end, with times; a wrong container is told", async (target) => {
      const scene = await setUpPods(target);
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
      const scene = await setUpPods(target);
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
      const scene = await setUpPods(target);
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
        const scene = await setUpPods(target);
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
  },
  { shareScene: true },
);
