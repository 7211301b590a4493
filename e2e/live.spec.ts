import { expect, inject, test } from "vitest";
import { isLive, openBrowser } from "./browser";

const { open } = openBrowser(() => inject("url"));

test("a cut network is said, on the mark and on every panel, and after it everything is live again", async () => {
  const page = await open("/firebolt/engine/shop/analytics");
  await isLive(page);
  await page.context().setOffline(true);
  const mark = page.getByRole("navigation", { name: "Pages" });
  await mark.getByText(/catching up/).waitFor();
  await mark.getByText(/stale/).waitFor();
  expect(await page.locator(".stale-note").count()).toBeGreaterThan(3);
  await page.context().setOffline(false);
  await isLive(page);
  await page.locator(".stale-note").first().waitFor({ state: "detached" });
});

test("twelve tabs at once are all live over one stream", async () => {
  const first = await open("/");
  const streams: string[] = [];
  const others = await Promise.all(Array.from({ length: 11 }, () => first.context().newPage()));
  for (const page of others)
    page.on("request", (request) => {
      if (request.url().includes("fleet.changes")) streams.push(request.url());
    });
  await isLive(first);
  for (const page of others) await page.goto(`${inject("url")}/about`);
  for (const page of others) await isLive(page);
  expect(streams).toEqual([]);
  // The tab that had the stream goes; another one takes over.
  await first.close();
  await expect.poll(() => streams.length, { timeout: 60_000 }).toBeGreaterThan(0);
  for (const page of others) await isLive(page);
});
