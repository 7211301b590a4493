// Runs on a bare checkout: imports nothing but Node's own modules.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Beside the packages, so that what was made with them goes when they go. */
export const stampFolder = join(root, "node_modules", ".orrery");
export const programFolder = join(stampFolder, "program");

const NODE_MIN = [20, 19];

/** What each step reads: when none of it has changed since its stamp, the step is skipped. */
const steps = {
  install: {
    title: "install packages",
    reads: ["package.json", "package-lock.json"],
    makes: "node_modules/.package-lock.json",
    // It may complete the lock file that it read.
    changesWhatItReads: true,
    // Not `npm ci`: it refuses a lock file whose binaries for other platforms the registry does not offer.
    command: ["npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]],
  },
  generate: {
    title: "generate the database client",
    reads: ["prisma/schema.prisma", "prisma.config.ts", "package-lock.json"],
    makes: "prisma/generated",
    command: ["npx", ["prisma", "generate"]],
    // Prisma 7 generates without its engine, yet tries to download it; any executable stops it from trying.
    env: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: "1" },
  },
  pack: {
    title: "pack the program",
    reads: ["machines", "server", "prisma/schema.prisma", "tsconfig.json", "package-lock.json", "scripts/pack.mjs"],
    makes: "node_modules/.orrery/program/main.js",
    command: [process.execPath, ["scripts/pack.mjs"]],
  },
  build: {
    title: "build the pages",
    reads: [
      "app",
      "components",
      "machines",
      "server",
      "prisma/schema.prisma",
      "next.config.mjs",
      "tsconfig.json",
      "package-lock.json",
    ],
    makes: ".next/BUILD_ID",
    command: ["npx", ["next", "build"]],
    // Whatever the shell or a test runner has set: the pages are those of production.
    env: { NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
  },
};

/** Brings the checkout to where the named steps are done, and says what it does and how long it took. */
export async function prepare(names) {
  requireNode();
  for (const name of names) await bring(name, steps[name]);
}

export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, ...options });
    let output = "";
    child.stdout?.on("data", (chunk) => (output += chunk));
    child.stderr?.on("data", (chunk) => (output += chunk));
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code: code ?? 128, signal, output }));
  });
}

export const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function bring(name, step) {
  const stamp = join(stampFolder, `${name}.stamp`);
  const wanted = fingerprintOf(step.reads);
  if (existsSync(join(root, step.makes)) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) {
    console.log(`  ✓ ${step.title}: up to date`);
    return;
  }
  const since = performance.now();
  console.log(`  … ${step.title}`);
  const [command, args] = step.command;
  const done = await run(command, args, { env: { ...process.env, ...step.env }, stdio: ["ignore", "pipe", "pipe"] });
  if (done.code !== 0) {
    console.error(done.output.trimEnd());
    console.error(
      `  ✗ ${step.title}: \`${command} ${args.join(" ")}\` ended with exit code ${done.code}; its output is above.`,
    );
    process.exit(1);
  }
  mkdirSync(stampFolder, { recursive: true });
  // What it was made of, not what the files have become meanwhile.
  writeFileSync(stamp, step.changesWhatItReads ? fingerprintOf(step.reads) : wanted);
  console.log(`  ✓ ${step.title}: ${seconds(since)}`);
}

function fingerprintOf(paths) {
  const hash = createHash("sha256").update(process.version);
  for (const file of paths.flatMap(filesUnder).sort()) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

function filesUnder(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return /\.(test|spec)\.tsx?$/.test(path) ? [] : [path];
  return readdirSync(full)
    .filter((name) => name !== "generated")
    .flatMap((name) => filesUnder(`${path}/${name}`));
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  console.error(
    `Orrery needs Node ${NODE_MIN.join(".")} or newer; this is ${process.versions.node}. Install one from nodejs.org and try again.`,
  );
  process.exit(1);
}
