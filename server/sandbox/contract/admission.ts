import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { until } from "@/server/sandbox/contract/target";

export const podBody = (name: string, container: object = {}, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: {
    containers: [{ name: "main", image: "localhost/busybox:1", command: ["sleep", "3600"], ...container }],
    ...spec,
  },
});

export const admissionContract = topic("admission", (promises) => {
  promises("nothing can be created in a namespace that is not there", async (target) => {
    const { status, object, message } = await target.send("POST", "/api/v1/namespaces/missing-for-sure/configmaps", {
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } },
    });
    expect({ status, message }).toEqual({ status: 404, message: 'namespaces "missing-for-sure" not found' });
    expect(object["details"]).toMatchObject({ name: "missing-for-sure", kind: "namespaces" });
  });

  promises("nothing new comes into a namespace on its way out", async (target) => {
    const namespace = await target.namespace();
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const hold = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "hold", finalizers: ["example.com/hold"] } };
    expect((await target.send("POST", path, { body: hold })).status).toBe(201);
    await target.send("DELETE", `/api/v1/namespaces/${namespace}`);
    const refused = await target.send("POST", path, {
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "late" } },
    });
    expect(refused.status).toBe(403);
    expect(refused.message).toBe(
      `configmaps "late" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    );
    expect(refused.object["details"]).toMatchObject({
      causes: [
        {
          reason: "NamespaceTerminating",
          message: `namespace ${namespace} is being terminated`,
          field: "metadata.namespace",
        },
      ],
    });
    await target.send("PATCH", `${path}/hold`, { body: { metadata: { finalizers: null } } });
    await until(
      "the end of the namespace",
      async () => (await target.send("GET", `/api/v1/namespaces/${namespace}`)).status === 404,
    );
  });

  promises("the namespaces that everything needs cannot be deleted", async (target) => {
    for (const name of ["default", "kube-system", "kube-public"]) {
      const { status, message } = await target.send("DELETE", `/api/v1/namespaces/${name}?dryRun=All`);
      expect({ status, message }).toEqual({
        status: 403,
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      });
    }
  });

  promises("a pod of a ServiceAccount that is missing is refused by the name of both", async (target) => {
    const namespace = await target.namespace();
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const { status, message } = await target.send("POST", path, {
      body: podBody("x-0", {}, { serviceAccountName: "ghost" }),
    });
    expect({ status, message }).toEqual({
      status: 403,
      message: `pods "x-0" is forbidden: error looking up service account ${namespace}/ghost: serviceaccount "ghost" not found`,
    });
    const unnamed = { ...podBody("", {}, { serviceAccountName: "ghost" }), metadata: { generateName: "web-5d8-" } };
    expect((await target.send("POST", path, { body: unnamed })).message).toBe(
      `pods "web-5d8-" is forbidden: error looking up service account ${namespace}/ghost: serviceaccount "ghost" not found`,
    );
  });

  promises("a pod gets its ServiceAccount, a token mount, patience with nodes and a priority", async (target) => {
    const namespace = await target.namespace();
    const { object, status } = await target.send("POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, {
      body: podBody("p"),
    });
    expect(status).toBe(201);
    expect(object.spec).toMatchObject({
      serviceAccountName: "default",
      serviceAccount: "default",
      priority: 0,
      preemptionPolicy: "PreemptLowerPriority",
      containers: [{ volumeMounts: [{ mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true }] }],
      tolerations: [
        { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
        { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      ],
    });
    const bare = await target.send("POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, {
      body: podBody("q", {}, { automountServiceAccountToken: false }),
    });
    expect(bare.object.spec?.["volumes"]).toBeUndefined();
  });

  promises("a pod of an unknown priority class is refused", async (target) => {
    const namespace = await target.namespace();
    const { status, message } = await target.send("POST", `/api/v1/namespaces/${namespace}/pods`, {
      body: podBody("p", {}, { priorityClassName: "ghost" }),
    });
    expect({ status, message }).toEqual({
      status: 403,
      message: 'pods "p" is forbidden: no PriorityClass with name ghost was found',
    });
  });

  promises("a LimitRange fills in what containers leave out and says so", async (target) => {
    const namespace = await target.namespace();
    const limits = [{ type: "Container", default: { cpu: "500m", memory: "256Mi" }, defaultRequest: { cpu: "100m" } }];
    const range = await target.send("POST", `/api/v1/namespaces/${namespace}/limitranges`, {
      body: { apiVersion: "v1", kind: "LimitRange", metadata: { name: "l" }, spec: { limits } },
    });
    expect(range.object.spec).toEqual({
      limits: [
        {
          type: "Container",
          default: { cpu: "500m", memory: "256Mi" },
          defaultRequest: { cpu: "100m", memory: "256Mi" },
        },
      ],
    });
    const create = (body: object) => target.send("POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, { body });
    await until("the defaults", async () =>
      JSON.stringify((await create(podBody("p"))).object.spec?.["containers"]).includes("500m"),
    );
    const { object } = await create(podBody("p"));
    expect(object.spec?.["containers"]).toMatchObject([
      { resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "100m", memory: "256Mi" } } },
    ]);
    expect(object.metadata.annotations?.["kubernetes.io/limit-ranger"]).toBe(
      "LimitRanger plugin set: cpu, memory request for container main; cpu, memory limit for container main",
    );
    const given = await create(
      podBody("q", { resources: { requests: { cpu: "50m", memory: "1Mi" }, limits: { cpu: "1", memory: "2Mi" } } }),
    );
    expect(given.object.metadata.annotations?.["kubernetes.io/limit-ranger"]).toBeUndefined();
  });

  promises("a LimitRange refuses what is out of its bounds", async (target) => {
    const namespace = await target.namespace();
    const limits = [
      { type: "Container", min: { cpu: "100m" }, max: { cpu: "1", memory: "1Gi" }, maxLimitRequestRatio: { cpu: "4" } },
      { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } },
    ];
    await target.send("POST", `/api/v1/namespaces/${namespace}/limitranges`, {
      body: { apiVersion: "v1", kind: "LimitRange", metadata: { name: "l" }, spec: { limits } },
    });
    const said = async (resources: object) =>
      (
        await target.send("POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, {
          body: podBody("p", { resources }),
        })
      ).message;
    await until(
      "the bounds",
      async () =>
        (await said({ requests: { cpu: "50m", memory: "1Mi" }, limits: { cpu: "100m", memory: "1Mi" } })) !== "",
    );
    expect(await said({ requests: { cpu: "50m", memory: "1Mi" }, limits: { cpu: "100m", memory: "1Mi" } })).toBe(
      'pods "p" is forbidden: minimum cpu usage per Container is 100m, but request is 50m',
    );
    expect(await said({ requests: { cpu: "1", memory: "1Mi" }, limits: { cpu: "2", memory: "1Mi" } })).toBe(
      'pods "p" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
    );
    expect(await said({ requests: { cpu: "100m", memory: "1Mi" }, limits: { cpu: "1", memory: "1Mi" } })).toBe(
      'pods "p" is forbidden: cpu max limit to request ratio per Container is 4, but provided ratio is 10.000000',
    );
    const claim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "c" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } } },
    };
    const { message } = await target.send("POST", `/api/v1/namespaces/${namespace}/persistentvolumeclaims?dryRun=All`, {
      body: claim,
    });
    expect(message).toBe(
      'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 5Gi',
    );
  });

  promises(
    "a claim that names no class gets the default one, and one that names the empty class keeps it",
    async (target) => {
      const namespace = await target.namespace();
      const claim = (spec: object) => ({
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "c" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
      });
      const classOf = async (spec: object) =>
        (
          await target.send("POST", `/api/v1/namespaces/${namespace}/persistentvolumeclaims?dryRun=All`, {
            body: claim(spec),
          })
        ).object.spec?.["storageClassName"];
      const classes = await target.send("GET", "/apis/storage.k8s.io/v1/storageclasses");
      const marked = (
        classes.object["items"] as { metadata: { name: string; annotations?: Record<string, string> } }[]
      ).find(({ metadata }) => metadata.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true");
      expect(await classOf({})).toBe(marked?.metadata.name);
      expect(await classOf({ storageClassName: "" })).toBe("");
    },
  );
});
