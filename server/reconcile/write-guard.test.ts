import { expect, test } from "vitest";
import { createWriteGuard } from "./write-guard";

test("any number of writes may wait for the end of the term, and nobody is warned of a leak", async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on("warning", note);
  const guard = createWriteGuard({ isHeld: () => true, onChange: () => () => undefined });
  for (let writes = 0; writes < 50; writes++) guard.check().addEventListener("abort", () => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  expect(warnings).toEqual([]);
});
