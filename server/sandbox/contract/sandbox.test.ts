import { afterAll, beforeAll } from "vitest";
import { suite } from "@/server/sandbox/contract/suite";
import { openTarget, type Target } from "@/server/sandbox/contract/target";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";

let sandbox: Sandbox;
let target: Target;

beforeAll(async () => {
  sandbox = await createSandbox();
  target = await openTarget(sandbox.connection());
});

afterAll(async () => {
  await target.close();
  await sandbox.stop();
});

for (const hold of suite) hold(() => target);
