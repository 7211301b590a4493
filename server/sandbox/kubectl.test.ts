import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKubectl, eventually, kubectlMinor as minor, withoutKubectl } from "@/server/sandbox/contract/kubectl";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";

let sandbox: Sandbox;
let folder: string;
const { run: kubectl, runAnyway: kubectlAnyway, follow } = createKubectl(environment);

/** One story after the other, each on what it made itself. */
describe.skipIf(withoutKubectl !== "")(`kubectl${withoutKubectl}`, () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "orrery-kubectl-"));
    sandbox = await createSandbox({ dataDir: join(folder, "data") });
  });

  afterAll(async () => {
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("it sees the cluster, its kinds and their fields", async () => {
    expect(json(await kubectl("version", "-o", "json"))).toMatchObject({ serverVersion: { major: "1" } });
    expect(await kubectl("get", "namespaces")).toMatch(/NAME\s+STATUS\s+AGE\ndefault\s+Active/);
    expect(await kubectl("api-resources")).toMatch(/statefulsets\s+sts\s+apps\/v1\s+true\s+StatefulSet/);
    expect(await kubectl("api-versions")).toContain("apiextensions.k8s.io/v1");
    expect(await kubectl("explain", "statefulset.spec.podManagementPolicy")).toMatch(
      /FIELD:\s+podManagementPolicy <string>/,
    );
    expect(await kubectl("explain", "deployment.spec.strategy.rollingUpdate")).toMatch(
      /maxSurge\s+<(IntOrString|string)>/,
    );
    expect(await kubectl("explain", "pod.spec.containers")).toMatch(/readinessProbe\s+<(Probe|Object)>/);
  });

  test("it creates, shows, labels, annotates, patches in three ways, and deletes", async () => {
    await kubectl("create", "configmap", "c", "--from-literal=one=1");
    expect(await kubectl("get", "configmap", "c")).toMatch(/NAME\s+DATA\s+AGE\nc\s+1\s/);
    await kubectl("label", "configmap", "c", "tier=web");
    await kubectl("annotate", "configmap", "c", "note=words");
    await kubectl("patch", "configmap", "c", "--type=merge", "-p", '{"data":{"two":"2"}}');
    await kubectl("patch", "configmap", "c", "--type=json", "-p", '[{"op":"remove","path":"/data/one"}]');
    await kubectl("patch", "configmap", "c", "--type=strategic", "-p", '{"data":{"three":"3"}}');
    const object = json(await kubectl("get", "configmap", "c", "-o", "json"));
    expect(object).toMatchObject({
      metadata: { labels: { tier: "web" }, annotations: { note: "words" } },
      data: { two: "2", three: "3" },
    });
    expect(await kubectl("get", "configmaps", "-l", "tier=web", "-o", "name")).toBe("configmap/c");
    expect(
      await kubectl("get", "configmaps", "--field-selector", "metadata.name=c", "-o", "jsonpath={.items[0].data.two}"),
    ).toBe("2");
    expect(await kubectl("describe", "configmap", "c")).toContain("three:");
    expect(await kubectl("delete", "configmap", "c")).toContain('configmap "c" deleted');
    expect(await refused("get", "configmap", "c")).toContain('Error from server (NotFound): configmaps "c" not found');
  });

  test("it applies from either side, shows the difference first, and edits", async () => {
    const file = manifest("apply.yaml", configMap({ color: "red" }));
    expect(await kubectl("apply", "-f", file)).toContain("configmap/applied created");
    expect(await kubectl("apply", "-f", file)).toContain("configmap/applied unchanged");
    manifest("apply.yaml", configMap({ color: "blue" }));
    const difference = await kubectlAnyway("diff", "-f", file);
    expect(difference.code).toBe(1);
    expect(difference.output).toMatch(/-\s+color: red[\s\S]*\+\s+color: blue/);
    expect(await kubectl("apply", "-f", file)).toContain("configmap/applied configured");
    expect(
      await kubectl(
        "apply",
        "--server-side",
        "--force-conflicts",
        "-f",
        manifest("ssa.yaml", configMap({ color: "green" })),
      ),
    ).toContain("serverside-applied");
    const conflict = await kubectlAnyway(
      "apply",
      "--server-side",
      "--field-manager=other",
      "-f",
      manifest("other.yaml", configMap({ color: "black" })),
    );
    expect(conflict.output).toMatch(/Apply failed with 1 conflict: conflict with "kubectl"/);
    expect(
      await kubectl("apply", "--dry-run=server", "-f", manifest("dry.yaml", configMap({ color: "white" }))),
    ).toContain("server dry run");
    expect(await kubectl("edit", "configmap", "applied")).toContain("configmap/applied edited");
    expect(await kubectl("get", "configmap", "applied", "-o", "jsonpath={.data.color}")).toBe("edited");
    const unknown = await kubectlAnyway(
      "apply",
      "-f",
      manifest("unknown.yaml", `${configMap({ color: "red" })}nonsense: 1\n`),
    );
    expect(unknown.output).toMatch(/unknown field "nonsense"/);
  });

  test("it creates the usual objects by command", async () => {
    await kubectl("create", "namespace", "made");
    await kubectl("-n", "made", "create", "secret", "generic", "s", "--from-literal=word=hello");
    expect(await kubectl("-n", "made", "get", "secret", "s", "-o", "jsonpath={.data.word}")).toBe("aGVsbG8=");
    await kubectl("-n", "made", "create", "serviceaccount", "robot");
    await kubectl("-n", "made", "create", "role", "reader", "--verb=get,list", "--resource=pods");
    await kubectl("-n", "made", "create", "rolebinding", "readers", "--role=reader", "--serviceaccount=made:robot");
    await kubectl("-n", "made", "create", "service", "clusterip", "web", "--tcp=80:8080");
    expect(await kubectl("-n", "made", "get", "service", "web", "-o", "wide")).toMatch(
      /web\s+ClusterIP\s+10\.\S+\s+<none>\s+80\/TCP\s+\S+\s+app=web/,
    );
    await kubectl("-n", "made", "create", "quota", "q", "--hard=pods=5");
    expect(await kubectl("-n", "made", "describe", "quota", "q")).toMatch(/pods\s+0\s+5/);
    if (minor >= 24) {
      await kubectl("-n", "made", "create", "poddisruptionbudget", "p", "--selector=app=web", "--min-available=1");
      expect(await kubectl("-n", "made", "create", "token", "robot")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    }
    expect(await kubectl("delete", "namespace", "made", "--timeout=60s")).toContain('namespace "made" deleted');
  });

  test("it answers who may do what", async () => {
    expect(await kubectl("auth", "can-i", "create", "pods")).toBe("yes");
    const robot = await kubectlAnyway("auth", "can-i", "delete", "nodes", "--as=system:serviceaccount:default:default");
    expect(robot).toMatchObject({ code: 1, output: expect.stringContaining("no") });
    expect(await refused("get", "secrets", "--as=system:serviceaccount:default:default")).toContain(
      "is forbidden: User",
    );
  });

  test("it says who one is, waits for what is to come, and selects by fields of a definition", async () => {
    if (minor >= 28) expect(await kubectl("auth", "whoami")).toMatch(/Username\s+kubernetes-admin/);
    const waiting = follow("wait", "configmap/expected", "--for=create", "--timeout=60s");
    await kubectl("create", "configmap", "expected");
    if (minor >= 31) await eventually("its coming", () => waiting.said().includes("condition met"), waiting.said);
    await waiting.stop();
    await kubectl("apply", "-f", manifest("definition.yaml", definition()));
    await kubectl("wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=60s");
    for (const color of ["red", "blue"]) await kubectl("apply", "--server-side", "-f", manifest(color, widget(color)));
    expect(await kubectl("get", "widgets", "--field-selector", "spec.color=red", "-o", "name")).toBe(
      "widget.example.com/red",
    );
    expect(await kubectl("explain", "widget.spec.color")).toContain("What one sees first.");
    const strange = manifest("strange", widget("green").replace("color", "colour"));
    expect(await refused("apply", "-f", strange)).toMatch(/unknown field "(spec\.)?colour"/);
    await kubectl("delete", "crd", "widgets.example.com", "--timeout=60s");
  });

  test("it rolls out, scales, waits, and reads what containers say", async () => {
    await kubectl("apply", "-f", manifest("web.yaml", deployment("web")));
    expect(await kubectl("rollout", "status", "deployment/web", "--timeout=60s")).toContain("successfully rolled out");
    await kubectl("autoscale", "deployment/web", "--max=3", "--cpu-percent=70");
    expect(await kubectl("get", "hpa", "web")).toMatch(/web\s+Deployment\/web\s+cpu: <unknown>\/70%\s+1\s+3/);
    await kubectl("scale", "deployment/web", "--replicas=2");
    await kubectl("rollout", "status", "deployment/web", "--timeout=60s");
    if (minor >= 23)
      await kubectl("wait", "deployment/web", "--for=jsonpath={.status.readyReplicas}=2", "--timeout=60s");
    expect(await kubectl("get", "deployment", "web", "-o", "wide")).toMatch(
      /web\s+2\/2\s+2\s+2\s+\S+\s+main\s+localhost\/busybox:1\s+app=web/,
    );
    const [pod = ""] = (await kubectl("get", "pods", "-l", "app=web", "-o", "name")).split("\n");
    await kubectl("wait", pod, "--for=condition=Ready", "--timeout=60s");
    expect(await kubectl("get", pod, "-o", "wide")).toMatch(/1\/1\s+Running\s+0/);
    expect(await kubectl("describe", pod)).toMatch(/Scheduled[\s\S]*Started/);
    expect(await kubectl("logs", pod)).toContain("hello from web");
    expect(await kubectl("exec", pod, "--", "echo", "inside")).toBe("inside");
    writeFileSync(join(folder, "sent.txt"), "there and back");
    await kubectl("cp", join(folder, "sent.txt"), `${pod.replace("pod/", "")}:/tmp/sent.txt`);
    await kubectl("cp", `${pod.replace("pod/", "")}:/tmp/sent.txt`, join(folder, "back.txt"));
    expect(readFileSync(join(folder, "back.txt"), "utf8")).toBe("there and back");
    expect(await kubectl("get", "events", "--field-selector", "reason=ScalingReplicaSet")).toContain("deployment/web");
    if (minor >= 26) expect(await kubectl("events", "--for", "deployment/web")).toContain("ScalingReplicaSet");
    expect(await kubectl("rollout", "history", "deployment/web")).toContain("REVISION");
    await kubectl("delete", "deployment", "web", "--cascade=foreground", "--timeout=60s");
    expect(await kubectl("get", "replicasets", "-l", "app=web", "-o", "name")).toBe("");
  });

  test("it rolls back to the ReplicaSet that there was, whatever format it came in", async () => {
    // `create deployment` sends protobuf, which carries every zero; a patch is JSON, which carries none.
    await kubectl("create", "deployment", "back", "--image=localhost/busybox:1", "--port=80", "--replicas=0");
    const hashes = async () => (await kubectl("get", "replicasets", "-l", "app=back", "-o", "name")).split("\n").sort();
    await eventually("the first ReplicaSet", async () => (await hashes())[0] !== "");
    await kubectl("set", "image", "deployment/back", "busybox=localhost/busybox:2");
    await eventually("the second ReplicaSet", async () => (await hashes()).length === 2);
    const both = await hashes();
    const revision = async () =>
      await kubectl(
        "get",
        "deployment",
        "back",
        "-o",
        "jsonpath={.metadata.annotations.deployment\\.kubernetes\\.io/revision}",
      );
    await kubectl("rollout", "undo", "deployment/back");
    await eventually("the third revision", async () => (await revision()) === "3");
    expect(await hashes()).toEqual(both);
    await kubectl("delete", "deployment", "back");
  });

  test("it deletes with orphans and in the background", async () => {
    for (const name of ["orphaned", "background"])
      await kubectl("apply", "-f", manifest(`${name}.yaml`, deployment(name)));
    for (const name of ["orphaned", "background"])
      await kubectl("rollout", "status", `deployment/${name}`, "--timeout=60s");
    await kubectl("delete", "deployment", "orphaned", "--cascade=orphan");
    expect(await kubectl("get", "replicasets", "-l", "app=orphaned", "-o", "name")).toContain(
      "replicaset.apps/orphaned-",
    );
    await kubectl("delete", "deployment", "background", "--cascade=background");
    await eventually(
      "the end of what it owned",
      async () => (await kubectl("get", "replicasets", "-l", "app=background", "-o", "name")) === "",
    );
    await kubectl("delete", "replicasets", "-l", "app=orphaned");
  });

  test("it watches", async () => {
    await kubectl("create", "configmap", "watched", "--from-literal=n=1");
    const watch = follow("get", "configmap", "watched", "--watch");
    await eventually("the first line", () => /^watched\s+1/m.test(watch.said()), watch.said);
    await kubectl("patch", "configmap", "watched", "--type=merge", "-p", '{"data":{"m":"2"}}');
    await eventually("the change", () => /^watched\s+2/m.test(watch.said()), watch.said);
    expect(watch.said().match(/^NAME/gm)).toHaveLength(1);
    await watch.stop();
  });

  test("it forwards a port", async () => {
    await kubectl("apply", "-f", manifest("server.yaml", httpServer()));
    await kubectl("wait", "pod/server", "--for=condition=Ready", "--timeout=60s");
    const forward = follow("port-forward", "pod/server", ":8080", "--v=6");
    await eventually("the port", () => /127\.0\.0\.1:\d+ ->/.test(forward.said()));
    const port = /127\.0\.0\.1:(?<port>\d+) ->/.exec(forward.said())?.groups?.["port"] ?? "";
    const answer = await fetch(`http://127.0.0.1:${port}/index.html`);
    expect(await answer.text()).toContain("served");
    // Since 1.31 it tries a WebSocket first, and says when it has to fall back to what came before.
    expect(forward.said()).not.toContain("fallback");
    await forward.stop();
  });
});

async function refused(...args: string[]): Promise<string> {
  const { code, output } = await kubectlAnyway(...args);
  expect(code, output).not.toBe(0);
  return output;
}

function environment(): NodeJS.ProcessEnv {
  // An editor by script: it replaces one word in the file that it is given.
  const editor = "sed -i s/green/edited/";
  return { ...process.env, KUBECONFIG: sandbox.kubeconfigPath ?? "", HOME: folder, KUBE_EDITOR: editor };
}

function manifest(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function json(text: string): unknown {
  return JSON.parse(text);
}

function configMap(data: Record<string, string>): string {
  const lines = Object.entries(data).map(([key, value]) => `  ${key}: ${value}`);
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: applied\ndata:\n${lines.join("\n")}\n`;
}

function podTemplate(name: string): string {
  return `  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - name: main
        image: localhost/busybox:1
        command: [sh, -c, "echo hello from ${name}; sleep 100000"]
`;
}

function deployment(name: string): string {
  return `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec:\n  replicas: 1\n${podTemplate(name)}`;
}

function definition(): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    selectableFields: [{jsonPath: .spec.color}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {color: {type: string, description: What one sees first.}}}
`;
}

function widget(color: string): string {
  return `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: ${color}}\nspec: {color: ${color}}\n`;
}

function httpServer(): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: server}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: main
    image: localhost/busybox:1
    command: [sh, -c, "mkdir -p /www && echo served > /www/index.html && httpd -f -p 8080 -h /www"]
    ports: [{containerPort: 8080}]
    readinessProbe: {httpGet: {port: 8080, path: /index.html}, periodSeconds: 1}
`;
}
