import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import {
  configMap,
  configMapsIn,
  created,
  deployment,
  deploymentsIn,
  namesOf,
} from "@/server/sandbox/contract/samples";
import { until } from "@/server/sandbox/contract/target";

export const deletingContract = topic("deletes", (promises) => {
  promises("a delete answers with what went", async (target) => {
    const ns = await target.bareNamespace();
    const { metadata } = await created(target, configMapsIn(ns), configMap("a"));
    const { status, object } = await target.send("DELETE", `${configMapsIn(ns)}/a`);
    expect(status).toBe(200);
    expect(object).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "a", kind: "configmaps", uid: metadata.uid },
    });
    expect((await target.send("GET", `${configMapsIn(ns)}/a`)).status).toBe(404);
  });

  promises("a delete of what is not there is not found", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    expect(await send("DELETE", `${configMapsIn(ns)}/a`)).toMatchObject({
      status: 404,
      message: 'configmaps "a" not found',
    });
  });

  promises("a delete for another uid is a conflict", async (target) => {
    const ns = await target.bareNamespace();
    const { metadata } = await created(target, configMapsIn(ns), configMap("a"));
    const body = { preconditions: { uid: "00000000-0000-0000-0000-000000000000" } };
    const { status, object, message } = await target.send("DELETE", `${configMapsIn(ns)}/a`, { body });
    expect(status).toBe(409);
    expect(object).toMatchObject({ reason: "Conflict" });
    expect(message).toBe(
      `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (00000000-0000-0000-0000-000000000000) does not match the UID in record (${String(metadata.uid)}). The object might have been deleted and then recreated`,
    );
  });

  promises("a delete for an older version is a conflict", async (target) => {
    const ns = await target.bareNamespace();
    const { metadata } = await created(target, configMapsIn(ns), configMap("a"));
    await target.send("PATCH", `${configMapsIn(ns)}/a`, { body: { data: { n: "1" } } });
    const body = { preconditions: { resourceVersion: metadata.resourceVersion } };
    const { status, message } = await target.send("DELETE", `${configMapsIn(ns)}/a`, { body });
    expect(status).toBe(409);
    expect(message).toContain("does not match the ResourceVersion in record");
  });

  promises("a dry delete deletes nothing", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a"));
    expect((await target.send("DELETE", `${configMapsIn(ns)}/a?dryRun=All`)).status).toBe(200);
    expect((await target.send("GET", `${configMapsIn(ns)}/a`)).status).toBe(200);
  });

  promises("a finalizer holds an object until it is removed", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${configMapsIn(ns)}/a`;
    await created(target, configMapsIn(ns), configMap("a", {}, { finalizers: ["example.com/hold"] }));
    const { status, object } = await target.send("DELETE", path);
    expect(status).toBe(200);
    expect(object).toMatchObject({
      kind: "ConfigMap",
      metadata: {
        deletionTimestamp: expect.any(String),
        deletionGracePeriodSeconds: 0,
        finalizers: ["example.com/hold"],
      },
    });
    expect((await target.send("GET", path)).status).toBe(200);
    expect((await target.send("PATCH", path, { body: { metadata: { finalizers: null } } })).status).toBe(200);
    expect((await target.send("GET", path)).status).toBe(404);
  });

  promises("an object that is on its way out takes no new finalizers", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${configMapsIn(ns)}/a`;
    await created(target, configMapsIn(ns), configMap("a", {}, { finalizers: ["example.com/hold"] }));
    await target.send("DELETE", path);
    const { status, message } = await target.send("PATCH", path, {
      body: { metadata: { finalizers: ["example.com/hold", "example.com/more"] } },
    });
    expect(status).toBe(422);
    expect(message).toContain(
      "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers",
    );
    await target.send("PATCH", path, { body: { metadata: { finalizers: null } } });
  });

  promises("a second delete changes nothing", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${configMapsIn(ns)}/a`;
    await created(target, configMapsIn(ns), configMap("a", {}, { finalizers: ["example.com/hold"] }));
    const first = await target.send("DELETE", path);
    const second = await target.send("DELETE", path);
    expect(second.object.metadata.resourceVersion).toBe(first.object.metadata.resourceVersion);
    await target.send("PATCH", path, { body: { metadata: { finalizers: null } } });
  });

  promises("a foreground delete waits for what is owned", async (target) => {
    const ns = await target.bareNamespace();
    const owner = await created(target, configMapsIn(ns), configMap("owner"));
    const ownerReferences = [
      { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid, blockOwnerDeletion: true },
    ];
    await created(
      target,
      configMapsIn(ns),
      configMap("owned", {}, { ownerReferences, finalizers: ["example.com/hold"] }),
    );
    const { object } = await target.send("DELETE", `${configMapsIn(ns)}/owner`, {
      body: { propagationPolicy: "Foreground" },
    });
    expect(object.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await until(
      "the owned object to be told",
      async () =>
        (await target.send("GET", `${configMapsIn(ns)}/owned`)).object.metadata.deletionTimestamp !== undefined,
    );
    expect((await target.send("GET", `${configMapsIn(ns)}/owner`)).status).toBe(200);
    await target.send("PATCH", `${configMapsIn(ns)}/owned`, { body: { metadata: { finalizers: null } } });
    await until("the owner to go", async () => (await target.send("GET", `${configMapsIn(ns)}/owner`)).status === 404);
  });

  promises("a background delete takes what is owned later", async (target) => {
    const ns = await target.bareNamespace();
    const owner = await created(target, configMapsIn(ns), configMap("owner"));
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid }];
    await created(target, configMapsIn(ns), configMap("owned", {}, { ownerReferences }));
    const { object } = await target.send("DELETE", `${configMapsIn(ns)}/owner`, {
      body: { propagationPolicy: "Background" },
    });
    expect(object).toMatchObject({ kind: "Status", status: "Success" });
    await until(
      "the owned object to go",
      async () => (await target.send("GET", `${configMapsIn(ns)}/owned`)).status === 404,
    );
  });

  promises("an orphaning delete leaves what was owned", async (target) => {
    const ns = await target.bareNamespace();
    const owner = await created(target, configMapsIn(ns), configMap("owner"));
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid }];
    await created(target, configMapsIn(ns), configMap("owned", {}, { ownerReferences }));
    await target.send("DELETE", `${configMapsIn(ns)}/owner`, { body: { propagationPolicy: "Orphan" } });
    await until("the owner to go", async () => (await target.send("GET", `${configMapsIn(ns)}/owner`)).status === 404);
    const { status, object } = await target.send("GET", `${configMapsIn(ns)}/owned`);
    expect(status).toBe(200);
    expect(object.metadata.ownerReferences).toBeUndefined();
  });

  promises("an unknown propagation policy is invalid", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a"));
    const { status, message } = await target.send("DELETE", `${configMapsIn(ns)}/a`, {
      body: { propagationPolicy: "Sideways" },
    });
    expect(status).toBe(422);
    expect(message).toContain("propagationPolicy");
  });

  promises("a collection is deleted by selector", async (target) => {
    const ns = await target.bareNamespace();
    for (const name of ["a", "b", "c"])
      await created(
        target,
        configMapsIn(ns),
        configMap(name, {}, { labels: { keep: name === "b" ? "yes" : "no", mine: "yes" } }),
      );
    const { status } = await target.send("DELETE", `${configMapsIn(ns)}?labelSelector=keep%3Dno`);
    expect(status).toBe(200);
    expect(namesOf(await target.send("GET", `${configMapsIn(ns)}?labelSelector=mine`))).toEqual(["b"]);
  });

  promises("deleting counts as a generation", async (target) => {
    const ns = await target.bareNamespace();
    const body = { ...deployment("d"), metadata: { name: "d", finalizers: ["example.com/hold"] } };
    await created(target, deploymentsIn(ns), body);
    const { object } = await target.send("DELETE", `${deploymentsIn(ns)}/d`);
    expect(object.metadata.generation).toBe(2);
    await target.send("PATCH", `${deploymentsIn(ns)}/d`, { body: { metadata: { finalizers: null } } });
  });

  promises("a claim for storage is protected", async (target) => {
    const ns = await target.bareNamespace();
    const body = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "c" },
      spec: { storageClassName: "nobody", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    };
    const { metadata, status } = await created(target, `/api/v1/namespaces/${ns}/persistentvolumeclaims`, body);
    expect(metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    expect(status).toEqual({ phase: "Pending" });
    const again = await target.send("PATCH", `/api/v1/namespaces/${ns}/persistentvolumeclaims/c`, {
      body: { spec: { accessModes: ["ReadWriteMany"] } },
    });
    expect(again).toMatchObject({ status: 422, message: expect.stringContaining("spec: Forbidden: ") });
  });

  promises("a namespace goes with everything in it", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("held", {}, { finalizers: ["example.com/hold"] }));
    const { status, object } = await target.send("DELETE", `/api/v1/namespaces/${ns}`);
    expect(status).toBe(200);
    expect(object).toMatchObject({
      kind: "Namespace",
      status: { phase: "Terminating" },
      spec: { finalizers: ["kubernetes"] },
    });
    await until(
      "what is inside to be told",
      async () =>
        (await target.send("GET", `${configMapsIn(ns)}/held`)).object.metadata.deletionTimestamp !== undefined,
    );
    const refused = await target.send("POST", configMapsIn(ns), { body: configMap("late") });
    expect(refused).toMatchObject({
      status: 403,
      message: `configmaps "late" is forbidden: unable to create new content in namespace ${ns} because it is being terminated`,
      object: { reason: "Forbidden", details: { causes: [{ reason: "NamespaceTerminating" }] } },
    });
    await target.send("PATCH", `${configMapsIn(ns)}/held`, { body: { metadata: { finalizers: null } } });
    await until(
      "the namespace to go",
      async () => (await target.send("GET", `/api/v1/namespaces/${ns}`)).status === 404,
    );
  });
});
