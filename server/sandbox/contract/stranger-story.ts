import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKubectl, eventually, withoutKubectl } from "@/server/sandbox/contract/kubectl";
import { unique } from "@/server/sandbox/contract/target";

const statefulSet = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  replicas: 2
  serviceName: web
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - name: main
        image: localhost/busybox:1
        command: [sh, -c, "sleep 100000"]
`;

/** What the sandbox is for, as one story; the same words on a real cluster. */
export function strangerStory(kubeconfig: () => string): void {
  describe.skipIf(withoutKubectl !== "")(`a stranger with kubectl${withoutKubectl}`, () => {
    let folder: string;
    const namespace = unique("stranger");
    // A home of its own: what kubectl remembers of one cluster must not meet another.
    const { run, follow } = createKubectl(() => ({ ...process.env, KUBECONFIG: kubeconfig(), HOME: folder }));
    const kubectl = (...args: string[]) => run("-n", namespace, ...args);

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "orrery-stranger-"));
    });
    afterAll(async () => {
      await run("delete", "namespace", namespace, "--wait=false");
      rmSync(folder, { recursive: true, force: true });
    });

    test("creates a StatefulSet, sees it become ready, breaks it by a missing ServiceAccount, reads why, and mends it", async () => {
      await run("create", "namespace", namespace);
      writeFileSync(join(folder, "web.yaml"), statefulSet);
      await kubectl("create", "-f", join(folder, "web.yaml"));
      const watch = follow("-n", namespace, "get", "statefulset", "web", "--watch");
      await eventually("a StatefulSet that is ready", () => /^web\s+2\/2\s/m.test(watch.said()), watch.said);

      const account = (name: string) => JSON.stringify({ spec: { template: { spec: { serviceAccountName: name } } } });
      await kubectl("patch", "statefulset", "web", "-p", account("nobody"));
      await eventually("a pod that is missing", () => /^web\s+1\/2\s/m.test(watch.said()), watch.said);
      await watch.stop();
      const told = `create Pod web-1 in StatefulSet web failed error: pods "web-1" is forbidden: error looking up service account ${namespace}/nobody: serviceaccount "nobody" not found`;
      const fields = "involvedObject.kind=StatefulSet,involvedObject.name=web,reason=FailedCreate,type=Warning";
      const events = () =>
        kubectl("get", "events", "--field-selector", fields, "-o", "jsonpath={range .items[*]}{.message}{end}");
      await eventually("the event", async () => (await events()) !== "");
      expect(await events()).toBe(told);
      expect(await kubectl("describe", "statefulset", "web")).toMatch(
        /Warning\s+FailedCreate\s.*statefulset-controller/,
      );

      await kubectl("create", "serviceaccount", "nobody");
      expect(await kubectl("rollout", "status", "statefulset/web", "--timeout=120s")).toMatch(
        /rolling update complete 2 pods|roll out complete/,
      );
      const accounts = "jsonpath={range .items[*]}{.spec.serviceAccountName} {end}";
      expect(await kubectl("get", "pods", "-l", "app=web", "-o", accounts)).toBe("nobody nobody");
    });
  });
}
