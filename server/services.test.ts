import { afterAll, beforeAll, expect, test } from "vitest";
import { createStage, type Stage } from "@/server/resources/fixtures/stage";
import { provideServices, services } from "./services";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.stop());

test("a second copy of the module, as a bundler makes one, finds the very same services", async () => {
  expect(() => services()).toThrow("not started");
  provideServices(stage.services);
  const bundled = "./services?copy";
  // Another query makes another module: a copy, as in Next's bundle.
  const copy = (await import(bundled)) as { services: typeof services };
  expect(copy.services).not.toBe(services);
  const [ours, theirs] = [services(), copy.services()];
  expect(theirs).toBe(ours);
  for (const part of ["database", "hub", "client", "rights", "bulk", "door"] as const)
    expect(theirs[part]).toBe(ours[part]);
  expect(() => provideServices(stage.services)).toThrow("started already");
  provideServices(null);
});
