// npm test: everything that checks the project, from a bare checkout. With --cluster: the tests on the real cluster.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "./chromium.mjs";
import { prepare, run, seconds, stampFolder } from "./prepare.mjs";

const npx = (...args) => ["npx", args];
const node = (...args) => [process.execPath, args];
const tsx = (...args) => node("--import", "tsx", ...args);

const checks = {
  // Room for what is young: a compiler makes so much of it that cleaning up would be a sixth of its work.
  "types, lint and fences": node("--max-semi-space-size=128", "scripts/lint.mjs"),
  formatting: npx("prettier", "--check", "--log-level=warn", "."),
  "dead code": npx("knip", "--no-progress"),
  "CRDs are those of the schemas": tsx("scripts/crds.ts", "--check"),
  "spec tables are those of the machines": tsx("scripts/spec.ts", "--check"),
};

const results = [];
if (process.argv.includes("--cluster")) await testCluster();
else await testAll();
summarise();

async function testAll() {
  await prepare(["install", "generate", "pack"]);
  mkdirSync(stampFolder, { recursive: true });
  // The tests leave a core idle while they wait for their servers; the checks use it.
  await Promise.all([suite("unit and integration", "unit"), checkAll()]);
  await prepare(["build"]);
  const browser = await chromium();
  if (browser.path) await suite("browser", "e2e", { ORRERY_CHROMIUM: browser.path });
  else results.push({ title: "browser", passed: 0, failed: 1, took: "0 s", output: browser.missing });
}

async function testCluster() {
  if (!process.env.KUBECONFIG) {
    console.error(
      "npm run test:cluster changes the cluster that it runs on: name a disposable one with KUBECONFIG=<file>.",
    );
    process.exit(2);
  }
  await prepare(["install", "generate"]);
  mkdirSync(stampFolder, { recursive: true });
  await suite("real cluster", "cluster");
}

async function checkAll() {
  for (const [title, [command, args]] of Object.entries(checks)) {
    const since = performance.now();
    const { code, output } = await run(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    results.push({
      title,
      passed: code === 0 ? 1 : 0,
      failed: code === 0 ? 0 : 1,
      took: seconds(since),
      output: code === 0 ? "" : output,
    });
  }
}

async function suite(title, project, env = {}) {
  const since = performance.now();
  const report = join(stampFolder, `${project}.json`);
  rmSync(report, { force: true });
  const args = [
    "vitest",
    "run",
    "--project",
    project,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  const { code } = await run("npx", args, { stdio: "inherit", env: { ...process.env, ...env } });
  results.push({ title, ...countsOf(report, code), took: seconds(since), output: "" });
}

function countsOf(report, code) {
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const counted = JSON.parse(readFileSync(report, "utf8"));
  // A file that cannot be loaded has no tests to fail, but it has failed.
  const broken = counted.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  ).length;
  const failed = counted.numFailedTests + broken;
  return { passed: counted.numPassedTests, failed: failed || (code === 0 ? 0 : 1), skipped: counted.numPendingTests };
}

function summarise() {
  for (const { title, output } of results.filter((result) => result.output))
    console.log(`\n── ${title}\n${output.trimEnd()}`);
  console.log("");
  for (const { title, passed, failed, skipped, took } of results)
    console.log(
      `  ${failed ? "✗" : "✓"} ${title}: ${passed} passed, ${failed} failed${skipped ? `, ${skipped} not applicable here` : ""} (${took})`,
    );
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  process.exit(sum("failed") ? 1 : 0);
}
