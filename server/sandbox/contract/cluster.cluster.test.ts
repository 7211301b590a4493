import { afterAll, beforeAll } from "vitest";
import { connectionFrom } from "@/server/kubernetes/connection";
import { suite } from "@/server/sandbox/contract/suite";
import { openTarget, type Target } from "@/server/sandbox/contract/target";

let target: Target;

beforeAll(async () => {
  const kubeconfig = process.env["KUBECONFIG"];
  if (!kubeconfig) throw new Error("Name a disposable cluster with KUBECONFIG.");
  target = await openTarget(await connectionFrom({ kubeconfig }));
});

afterAll(() => target.close());

for (const hold of suite) hold(() => target);
