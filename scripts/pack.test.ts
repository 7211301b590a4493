import { execFileSync } from "node:child_process";
import { existsSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";

const folder = join(process.cwd(), "node_modules", ".orrery", "program");
const [recent, old] = ["chunk-RECENT.js", "chunk-OLD.js"].map((name) => join(folder, name)) as [string, string];

const pack = () => execFileSync(process.execPath, ["scripts/pack.mjs"], { stdio: "inherit" });

afterEach(() => {
  for (const path of [recent, old]) rmSync(path, { force: true });
});

test("a program that runs from an earlier pack still finds its parts; those of long ago go", () => {
  pack();
  for (const path of [recent, old]) writeFileSync(path, "");
  utimesSync(old, 0, 0);
  pack();
  expect([recent, old, join(folder, "main.js")].map((path) => existsSync(path))).toEqual([true, false, true]);
});
