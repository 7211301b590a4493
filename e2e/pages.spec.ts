import { expect, inject, test } from "vitest";
import { isLive, openBrowser } from "./browser";

const { open, profile } = openBrowser(() => inject("url"));

test("the overview says what wants you, draws every lifecycle, and leads from a state to its resources", async () => {
  const page = await open("/");
  await page.getByRole("heading", { level: 1, name: /want/ }).waitFor();
  await page.getByRole("region", { name: "What wants you" }).getByText("fraud-score").waitFor();
  await page.getByRole("region", { name: "Lately" }).getByText("→").first().waitFor();
  await page
    .getByRole("group", { name: "Engine, phase" })
    .getByRole("link", { name: /^stable/ })
    .click();
  await page.waitForURL(/\/firebolt\/engine\?state=stable/);
  await page.getByRole("row").filter({ hasText: "reporting" }).waitFor();
});

test("pages have their words before any script has run", async () => {
  const context = await profile();
  const page = await context.newPage();
  await page.route(/\/_next\/.*\.js/, (route) => route.abort());
  for (const [path, words] of [
    ["/", "Every lifecycle, now"],
    ["/firebolt/engine", "reporting"],
    ["/firebolt/engine/shop/ingest", "This diagram in words"],
    ["/audit", "Every command that was asked for"],
  ] as const) {
    await page.goto(inject("url") + path);
    await page.getByText(words).first().waitFor();
    await page.getByRole("navigation", { name: "Pages" }).getByText("Pipelines").waitFor();
  }
});

test("the list is what its address says, filters by typing, and keeps views by name", async () => {
  const page = await open("/all?q=repor");
  await page.getByRole("link", { name: "reporting", exact: true }).waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("repor");
  await page.getByRole("button", { name: "Save this view" }).click();
  await page.getByLabel("Name of the view").fill("reports");
  await page.keyboard.press("Enter");
  await page.getByRole("searchbox").fill("no such thing");
  await page.getByText("Nothing matches").waitFor();
  expect(page.url()).toContain("q=no+such+thing");
  await page.getByLabel("Saved views").selectOption("+reports");
  await page.getByRole("link", { name: "reporting", exact: true }).waitFor();
});

test("many are asked for at once: what each would answer before, what each answered after, and what moved on stays", async () => {
  const page = await open("/firebolt/engine?state=stable&q=reporting");
  await isLive(page);
  await page.getByLabel("Select reporting").check();
  const bar = page.getByRole("region", { name: "Selection" });
  await bar.getByRole("button", { name: /^stop/ }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText("1 of 1 will be asked to stop").waitFor();
  await sheet.getByRole("textbox").fill("stop 1");
  await sheet.getByRole("button", { name: "stop 1" }).click();
  await sheet.getByText("1 accepted, 0 refused").waitFor();
  await sheet.getByRole("button", { name: "Close" }).click();
  // It is no longer stable, so it no longer matches; it stays, dimmed, until the list is asked for again.
  await page.locator(".row.gone").filter({ hasText: "reporting" }).waitFor();
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByText("Nothing matches").waitFor();
  await page.goto(`${inject("url")}/firebolt/engine`);
  await page.getByLabel("Select reporting").check();
  await bar.getByRole("button", { name: /Select all \d+ that match/ }).click();
  await bar.getByText(/\d+ selected/).waitFor();
  // A command that wants to know something asks for it, for all of them.
  await bar.getByRole("button", { name: /^scale/ }).click();
  await sheet.getByLabel("Pods").fill("2");
  await sheet.getByRole("button", { name: /^scale \d+/ }).waitFor();
  await sheet.getByRole("button", { name: "Cancel" }).click();
  await page.goto(`${inject("url")}/audit`);
  await page.getByRole("row").filter({ hasText: "reporting" }).filter({ hasText: "with others" }).first().waitFor();
});

test("a resource can be passed on as a link, for kubectl, and as a call of the API", async () => {
  const context = await profile();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  const path = "/firebolt/engine/shop/ingest";
  await page.goto(inject("url") + path);
  await isLive(page);
  const copied = async (name: string) => {
    await page.getByRole("group", { name: "Copy as" }).getByRole("button", { name }).click();
    await page.getByRole("button", { name: `${name} ✓` }).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  expect(await copied("link")).toBe(inject("url") + path);
  expect(await copied("kubectl")).toBe("kubectl get fireboltengines.compute.firebolt.io ingest -n shop -o yaml");
  const call = /curl '(.*)'/.exec(await copied("API call"))?.[1] ?? "";
  expect(await (await fetch(call)).json()).toMatchObject({ why: expect.stringContaining("serviceaccount") as string });
  // An age is copied as the moment that it stands for.
  const age = page.locator(".say time").first();
  await age.evaluate((time) => getSelection()?.selectAllChildren(time));
  await page.keyboard.press("Control+c");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await age.getAttribute("dateTime"));
});

test("a machine shows its specification, what was never taken, and its bench runs the real rules", async () => {
  const page = await open("/machines/firebolt.engine.phase");
  await page.getByRole("cell", { name: "specDrifted", exact: true }).waitFor();
  await page.getByRole("region", { name: "Never taken" }).getByRole("listitem").first().waitFor();
  await page.getByRole("columnheader", { name: "per hour" }).first().waitFor();
  await page.getByRole("combobox", { name: "podsReady" }).selectOption("false");
  await page.getByRole("button", { name: "observed" }).click();
  await page.getByText("stays creating").waitFor();
});

test("the machines lead to their own pages", async () => {
  const page = await open("/machines");
  await page.getByRole("link", { name: "Instance", exact: true }).click();
  await page.waitForURL(/\/machines\/firebolt\.instance\.phase/);
  await page.goto(new URL("/machines/firebolt.engine", page.url()).href);
  await page.waitForURL(/\/machines\/firebolt\.engine\.phase/);
});

test("the page about itself says who you are, how the parts are doing, and keeps the theme", async () => {
  const page = await open("/about");
  await page.getByRole("cell", { name: /up to date|behind/ }).waitFor();
  await page.getByRole("row", { name: /^watch/ }).waitFor();
  await page.getByRole("row", { name: /^versions Orrery .+ Kubernetes .+ Node/ }).waitFor();
  await page.getByRole("radio", { name: "dark" }).click();
  await page.reload();
  await page.getByRole("cell", { name: /up to date|behind/ }).waitFor();
  expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
});

test("a key can be another one, unless that one has a use already", async () => {
  const page = await open("/about");
  await isLive(page);
  const keyOf = (does: string) => page.getByRole("button", { name: new RegExp(`: ${does}; change$`) });
  await keyOf("next row").click();
  await page.keyboard.press("k");
  await page.getByText("k is for “previous row” already.").waitFor();
  await keyOf("next row").click();
  await page.keyboard.press("n");
  expect(await keyOf("next row").textContent()).toBe("n");
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await page.waitForURL(/\/all/);
  await page.getByRole("row").filter({ hasText: "reporting" }).waitFor();
  await page.keyboard.press("n");
  await page.locator("[data-row].at").first().waitFor();
});

test("what does not exist is said to be so, with a way to what does", async () => {
  const page = await open("/firebolt/engine/shop/nobody");
  await page.getByRole("heading", { level: 1, name: "nobody" }).waitFor();
  await page.getByRole("alert").getByText("There is no Engine shop/nobody.").waitFor();
  await page.getByRole("link", { name: "the list of its kind" }).click();
  await page.waitForURL(/\/firebolt\/engine$/);
  await page.evaluate(() => localStorage.setItem("orrery-theme", "dark"));
  await page.goto(new URL("/machines/nothing.like.that", page.url()).href);
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await page.locator("html[data-theme=dark]").waitFor();
});
