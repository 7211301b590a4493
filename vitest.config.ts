import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const alias = { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") };
const ignored = ["node_modules/**", ".next/**", ".orrery/**"];
// Nothing in a test measures time; these only end what hangs.
const limits = { testTimeout: 120_000, hookTimeout: 120_000 };

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
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "e2e",
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
