import { expect, test } from "vitest";
import { createStages, StoppedEarly } from "./stages";

test("what was started is stopped last first, and what cannot be stopped keeps nothing else from it", async () => {
  const log: string[] = [];
  const stages = createStages(() => undefined);
  const noting = (name: string) => async () => void log.push(name);
  await stages.run("database", noting("open"), noting("close"));
  await stages.run("worker", noting("start"), () => Promise.reject(new Error("stuck")));
  await stages.run("pages", noting("serve"), noting("end"));
  await expect(stages.stop()).rejects.toThrow("not everything could be stopped");
  expect(log).toEqual(["open", "start", "serve", "end", "close"]);
});

test("a stop during the start undoes the step under way, too, and starts nothing more", async () => {
  const log: string[] = [];
  const stages = createStages((line) => log.push(line));
  let opened: () => void = () => undefined;
  const opening = stages.run(
    "database",
    () => new Promise<void>((resolve) => (opened = resolve)),
    async () => void log.push("closed"),
  );
  const stop = stages.stop();
  opened();
  await expect(opening).rejects.toThrow(StoppedEarly);
  await stop;
  await expect(stages.run("worker", async () => void log.push("started"))).rejects.toThrow(StoppedEarly);
  expect(log).toEqual(["closed"]);
});
