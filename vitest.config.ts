import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const alias = { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") };
const ignored = ["node_modules/**", ".next/**", ".orrery/**"];
// Nothing in a test measures time; these only end what hangs. There is no second try: a test that fails once on a machine
// that is out of breath has a fault in it, or has found one.
const limits = { testTimeout: 180_000, hookTimeout: 180_000, retry: 0 };

/** They take longest, and start first, so that no core is idle at the end. A new checkout has no times to go by. */
const longest =
  /explore\.test|resources\/(preview|agreement)\.test|http\/(http|fuzz)\.test|seeded-bugs|boot\/re|handle-rest|db\/database|kubectl/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const isShort = ({ moduleId }: TestSpecification) => Number(!longest.test(moduleId));
    return (await super.sort(files)).sort((one, other) => isShort(one) - isShort(other));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          include: ["**/*.test.{ts,tsx}"],
          exclude: [...ignored, "**/*.cluster.test.ts", "e2e/**"],
          pool: "forks",
          maxWorkers: 2,
          // Files in one process share what they import, and what the engine has learnt of it: over a third less processor time.
          // So no module may keep anything of a test: what does belongs to a stage, which the test makes and stops.
          isolate: false,
          execArgv: ["--max-semi-space-size=64"],
          ...limits,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "cluster",
          include: ["**/*.cluster.test.ts"],
          exclude: ignored,
          pool: "forks",
          maxWorkers: 1,
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 300_000,
          // Kubelet, scheduler and controllers there are others' programs, with moments of their own.
          retry: 1,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "e2e",
          globalSetup: "e2e/setup.ts",
          include: ["e2e/**/*.spec.ts"],
          exclude: ignored,
          pool: "forks",
          maxWorkers: 1,
          fileParallelism: false,
          ...limits,
        },
      },
    ],
  },
});
