// npm run explore: every fault at every place of every scenario, and every seeded bug.
// npm run explore -- "write 7 crashAfterApplied" ["a widget's life"]: one plan again, as a divergence names it.
import { prepare, run } from "./prepare.mjs";

const [seed = "all", scenario] = process.argv.slice(2);
await prepare(["install", "generate"]);
const files = seed === "all" ? ["explore.test", "seeded-bugs.test"] : ["explore.test"];
const only = scenario ? ["-t", scenario.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")] : [];
const { code } = await run("npx", ["vitest", "run", "--project", "unit", ...files, ...only], {
  stdio: "inherit",
  env: { ...process.env, ORRERY_EXPLORE: seed },
});
process.exit(code);
