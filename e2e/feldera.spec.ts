import { expect, inject, test } from "vitest";
import { isLive, openBrowser } from "./browser";

const { open } = openBrowser(() => inject("url"));

test("a pipeline can be seen, started, watched as it moves, read about, and stopped", async () => {
  const page = await open("/feldera/pipeline/streams/clicks-hourly");
  await isLive(page);
  // Four lifecycles, and the one that is made of two of them.
  for (const lifecycle of ["combined", "resources", "runtime", "program", "storage"])
    await page.locator("section.card h2 small").filter({ hasText: lifecycle }).first().waitFor();
  await page
    .getByRole("button", { name: /^Pause/ })
    .and(page.locator("[aria-disabled=true]"))
    .waitFor();

  await page.getByRole("button", { name: /^Start/ }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText(/What will be written/).waitFor();
  await sheet.getByRole("button", { name: "Start" }).click();
  await sheet.waitFor({ state: "detached" });

  const happened = page.getByRole("region", { name: "What happened" });
  await happened.getByText("Stopped → Provisioning").first().waitFor();
  await happened.getByText("Provisioning → Provisioned").first().waitFor();
  await page.getByRole("heading", { level: 1 }).filter({ hasText: "Running" }).waitFor();
  await page.getByRole("region", { name: "Owned objects" }).getByText("StatefulSet").waitFor();
  // Where each is to come to stands beside where it is, for those that tell.
  for (const desired of ["now Running, desired Running", "now Provisioned, desired Provisioned"])
    await page.locator("section.card").getByText(desired).first().waitFor();
});

test("the inside of a state opens where it stands", async () => {
  const page = await open("/feldera/pipeline/streams/orders-enrich");
  const diagram = page.getByRole("group", { name: /^Pipeline, now/ });
  await diagram
    .locator(".state[aria-current]")
    .filter({ hasText: "Provisioned" })
    .filter({ hasText: "Running" })
    .waitFor();
  expect(await diagram.getByRole("button", { name: /^Paused/ }).count()).toBe(0);
  await page.getByRole("button", { name: /open it to see what goes on inside/ }).click();
  await diagram.locator(".state[aria-current]").filter({ hasText: "Running" }).waitFor();
  await diagram.getByRole("button", { name: /^Paused/ }).waitFor();
});

test("what would change nothing is not what the page points at, and says so", async () => {
  const page = await open("/feldera/pipeline/streams/orders-enrich");
  const commands = page.getByRole("menu", { name: "Commands" }).or(page.getByRole("list", { name: "Commands" }));
  await commands.getByRole("button", { name: /^Start.* changes nothing/ }).waitFor();
  expect(await commands.locator("button.main").count()).toBe(0);
});

test("a pipeline that cannot start says why: the mistake in its program", async () => {
  const page = await open("/feldera/pipeline/streams/fraud-score");
  await page.getByRole("heading", { level: 1 }).filter({ hasText: "fraud-score" }).waitFor();
  await page.locator(".state[aria-current]").filter({ hasText: "SqlError" }).waitFor();
  const start = page.getByRole("button", { name: /^Start/ });
  expect(await start.getAttribute("aria-disabled")).toBe("true");
  expect(await start.innerText()).toContain("failed to compile");
});

test("what takes something away asks for the name first", async () => {
  const page = await open("/feldera/pipeline/streams/fraud-score");
  await page.getByRole("button", { name: /^Clear storage/ }).click();
  const sheet = page.getByRole("dialog");
  const confirm = sheet.getByRole("button", { name: "Clear storage" });
  // Its storage is clear already, and the sheet says so; what takes something away is confirmed all the same.
  await sheet.getByText("It would change nothing").waitFor();
  expect(await confirm.isDisabled()).toBe(true);
  await sheet.getByRole("textbox").fill("fraud-score");
  expect(await confirm.isDisabled()).toBe(false);

  // For many at once it wants to be told how many.
  await page.goto(`${inject("url")}/feldera/pipeline?q=fraud-score`);
  await page.getByLabel("Select fraud-score").check();
  await page
    .getByRole("region", { name: "Selection" })
    .getByRole("button", { name: /^clear/ })
    .click();
  const confirmAll = sheet.getByRole("button", { name: "clear 1" });
  await sheet.getByText("1 of 1 will be asked to clear").waitFor();
  expect(await confirmAll.isDisabled()).toBe(true);
  await sheet.getByRole("textbox").fill("clear 1");
  expect(await confirmAll.isDisabled()).toBe(false);
});

test("the way that many states share is told once, by keyboard too, and a state shows its own when asked", async () => {
  const page = await open("/machines/feldera.pipeline.program");
  const shared = page.getByRole("img", { name: /SqlError.* → Pending · \[edited\]/ });
  // A straight arrow has no width, which Playwright takes for hidden.
  await shared.waitFor({ state: "attached" });
  const arrow = page.getByRole("img", { name: /^Success → Pending/ });
  expect(await arrow.count()).toBe(0);
  await page.locator(".state[data-state=Success]").focus();
  await arrow.waitFor();
  await shared.focus();
  await page.keyboard.press("ArrowRight");
  expect(await page.evaluate(() => document.activeElement?.getAttribute("data-state"))).toBe("Pending");
});
