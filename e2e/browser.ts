import type { Browser, BrowserContext, Page } from "playwright";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { launchBrowser } from "./launch-browser";

/** Nothing here measures time; this only ends what hangs. */
const patience = 90_000;

export type Look = { theme?: "light" | "dark"; width?: number; height?: number };

/** A browser for the stories of a file; every story has a profile of its own, which ends with it. */
export function openBrowser(urlOf: () => string) {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  const errors: string[] = [];
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    // Also what React mends by itself: a page that is not what the server made is made twice, and loses its theme.
    expect(errors.splice(0), "what no page caught").toEqual([]);
  });
  afterAll(() => browser.close());

  const profile = async ({ theme = "light", width = 1440, height = 1000 }: Look = {}) => {
    const context = await browser.newContext({ colorScheme: theme, viewport: { width, height } });
    context.setDefaultTimeout(patience);
    context.on("weberror", (error) => errors.push(String(error.error())));
    contexts.push(context);
    return context;
  };
  return {
    profile,
    open: async (path: string, look?: Look): Promise<Page> => {
      const page = await (await profile(look)).newPage();
      await page.goto(urlOf() + path);
      return page;
    },
  };
}

export const isLive = (page: Page) =>
  page.getByRole("navigation", { name: "Pages" }).getByText("live", { exact: true }).waitFor({ state: "attached" });
