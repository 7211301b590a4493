// npm run screenshots: the pictures of the README, taken of the running product on its sandbox.
import { mkdirSync } from "node:fs";
import { launchBrowser } from "@/e2e/launch-browser";
import { startProduct } from "@/e2e/product";

const pages = {
  overview: { path: "/", height: 1_000 },
  resource: { path: "/firebolt/engine/shop/ingest", height: 1_000 },
  pipeline: { path: "/feldera/pipeline/streams/orders-enrich", height: 1_000 },
};
/** The demo fleet has come to rest when these have. */
const settled = [
  { kind: "firebolt.engine", namespace: "shop", name: "analytics", states: ["stable"] },
  { kind: "feldera.pipeline", namespace: "streams", name: "orders-enrich", states: ["Running"] },
];

mkdirSync("docs", { recursive: true });
const product = await startProduct();
const browser = await launchBrowser();
try {
  for (const one of settled) await arrived(one);
  for (const theme of ["light", "dark"] as const) {
    for (const [name, { path, height }] of Object.entries(pages)) {
      const page = await browser.newPage({ colorScheme: theme, viewport: { width: 1280, height } });
      await page.goto(product.url + path);
      await page.getByRole("navigation", { name: "Pages" }).getByText("live", { exact: true }).waitFor();
      await page.locator("[aria-busy]").first().waitFor({ state: "detached" });
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      const file = `docs/${name}-${theme}.png`;
      await page.screenshot({ path: file });
      process.stdout.write(`${file}\n`);
      await page.close();
    }
  }
} finally {
  await browser.close();
  await product.stop();
}

async function arrived(wanted: (typeof settled)[number]): Promise<void> {
  const input = encodeURIComponent(JSON.stringify({ ...wanted, timeoutMs: 280_000 }));
  const answer = await fetch(`${product.url}/api/v1/resource.wait?input=${input}`);
  const { reached, reason } = (await answer.json()) as { reached: boolean; reason: string };
  if (!reached) throw new Error(`${wanted.name} did not come to rest: ${reason}`);
}
