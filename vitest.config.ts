import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const alias = { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") };
const ignored = ["node_modules/**", ".next/**", ".orrery/**"];
// Nothing in a test measures time; these only end what hangs. A second try tells a machine that is out of breath from a
// fault; the report says which test needed one, and that test is to be mended.
const limits = { testTimeout: 180_000, hookTimeout: 180_000, retry: 1 };

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          include: ["**/*.test.{ts,tsx}"],
          exclude: [...ignored, "**/*.cluster.test.ts", "e2e/**"],
          pool: "forks",
          maxWorkers: 2,
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
