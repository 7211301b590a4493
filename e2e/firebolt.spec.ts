import { expect, inject, test } from "vitest";
import { isLive, openBrowser } from "./browser";

const { open } = openBrowser(() => inject("url"));
const engine = "/firebolt/engine/shop/analytics";

test("an engine can be seen, scaled, watched as it moves, and found in the audit log", async () => {
  const page = await open(engine);
  await isLive(page);
  await page.getByRole("heading", { level: 1, name: /analytics/ }).waitFor();
  const skip = page.getByRole("button", { name: /Skip drain/ });
  expect(await skip.getAttribute("aria-disabled")).toBe("true");
  expect(await skip.innerText()).toContain("not while stable");

  await page.getByRole("button", { name: /^Scale/ }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Pods").fill("2");
  await sheet.getByText(/What will be written/).waitFor();
  await sheet.getByRole("button", { name: "Scale" }).click();
  await sheet.waitFor({ state: "detached" });

  // It leaves stable by itself, comes back, and the page goes with it without a reload.
  const happened = page.getByRole("region", { name: "What happened" });
  await happened.getByText("stable → creating").waitFor();
  await happened.getByText("cleaning → stable").waitFor();
  await page.locator(".state[aria-current]").filter({ hasText: "stable" }).waitFor();
  // Who hears the page is told, too.
  await page.getByRole("status").filter({ hasText: "analytics is now stable" }).waitFor({ state: "attached" });
  await page.getByRole("region", { name: "Owned objects" }).getByText("2 of 2 pods ready").waitFor();

  await page.getByRole("link", { name: "Audit" }).click();
  await page.getByRole("row").filter({ hasText: "analytics" }).filter({ hasText: "accepted" }).first().waitFor();
});

test("an engine that waits says for what in its first lines, and which of its ways out that keeps shut", async () => {
  const page = await open("/firebolt/engine/shop/ingest");
  await page
    .locator(".say")
    .getByText(/serviceaccount/i)
    .waitFor();
  const ways = page.getByRole("region", { name: "Ways out" });
  await ways.getByText("its pods are not all ready yet").waitFor();
  expect(await ways.getByRole("img", { name: "does not hold" }).count()).toBeGreaterThan(0);
  await page.getByRole("region", { name: "Warnings" }).getByText("FailedCreate").waitFor();
  // The same in the picture: the arrow that it waits for says so when it is looked at.
  const arrow = page.getByRole("img", { name: /^creating → switching/ });
  await arrow.focus();
  expect(await arrow.getAttribute("aria-label")).toContain("shut: its pods are not all ready yet");
});

test("an engine can be looked at as it was, by the strip of time too, and the link shows the same to others", async () => {
  const page = await open(engine);
  await page
    .getByRole("button", { name: /^Look at creating to switching/ })
    .last()
    .click();
  await page.waitForURL(/\?at=/);
  const other = await open(new URL(page.url()).pathname + new URL(page.url()).search);
  await other.getByRole("region", { name: "What was known then" }).waitFor();
  await other.getByRole("heading", { level: 1 }).filter({ hasText: "switching" }).waitFor();
  await other.locator(".state[aria-current]").filter({ hasText: "switching" }).waitFor();
  await other.getByRole("region", { name: "How it was decided" }).getByText("taken").first().waitFor();
  const slider = other.getByRole("slider", { name: /Engine/ });
  const before = await slider.getAttribute("aria-valuenow");
  await slider.press("ArrowRight");
  await expect.poll(() => slider.getAttribute("aria-valuenow"), { timeout: 60_000 }).toBe(String(Number(before) + 1));
  await other.getByRole("button", { name: "Back to now" }).click();
  await other.getByRole("heading", { name: /^Ways out/ }).waitFor();
});

test("what was asked for before can be compared with what is asked for now", async () => {
  const page = await open(engine);
  const yaml = page.getByRole("region", { name: "YAML" });
  await yaml.getByRole("button", { name: "changes" }).click();
  await yaml.getByText(/^- *replicas: 3/).waitFor();
  await yaml.getByText(/^\+ *replicas: 2/).waitFor();
});
