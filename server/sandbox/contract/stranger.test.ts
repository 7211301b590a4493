import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { strangerStory } from "@/server/sandbox/contract/stranger-story";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";

let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "orrery-stranger-sandbox-"));
  sandbox = await createSandbox({ dataDir: folder });
});

afterAll(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
});

strangerStory(() => sandbox.kubeconfigPath ?? "");
