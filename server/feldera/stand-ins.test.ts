import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

test("a program is compiled in a process that is started as the product is", async () => {
  const { stdout } = await run(process.execPath, ["--import", "tsx", "server/feldera/fixtures/compile-once.ts"]);
  expect(JSON.parse(stdout)).toMatchObject({
    program_status: "Success",
    program_info: { schema: { inputs: [{ name: "t" }], outputs: [{ name: "v" }] } },
  });
});
