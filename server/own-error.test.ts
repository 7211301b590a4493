import { expect, test } from "vitest";
import { KubernetesError } from "@/server/kubernetes/errors";
import { Refused } from "@/server/resources/refusal";
import { ownError } from "./own-error";

test("a second copy of the module, as a bundler makes one, knows the errors of the first, and each class only its own", async () => {
  const bundled = "./own-error?copy";
  // Another query makes another module: a copy, as in Next's bundle.
  const copy = (await import(bundled)) as { ownError: typeof ownError };
  expect(copy.ownError).not.toBe(ownError);
  class Spilt extends ownError("Spilt") {}
  const theirs = { Spilt: class extends copy.ownError("Spilt") {}, Burnt: class extends copy.ownError("Burnt") {} };
  const error = new Spilt("milk", { cause: "a cat" });
  expect(error instanceof theirs.Spilt && error instanceof Error).toBe(true);
  expect(error instanceof theirs.Burnt).toBe(false);
  expect([error.name, error.message, error.cause]).toEqual(["Spilt", "milk", "a cat"]);
});

test("what crosses between the pages and the process is known by its copy, too", async () => {
  const bundled = { refusal: "@/server/resources/refusal?copy", errors: "@/server/kubernetes/errors?copy" };
  const theirs = {
    ...((await import(/* @vite-ignore */ bundled.refusal)) as { Refused: typeof Refused }),
    ...((await import(/* @vite-ignore */ bundled.errors)) as { KubernetesError: typeof KubernetesError }),
  };
  expect(theirs.Refused).not.toBe(Refused);
  const lost = { kind: "network", code: 0, reason: "", message: "", outcome: "unknown" } as const;
  expect(new Refused("busy", "Later.") instanceof theirs.Refused).toBe(true);
  expect(new KubernetesError(lost) instanceof theirs.KubernetesError).toBe(true);
  expect(new KubernetesError(lost) instanceof theirs.Refused).toBe(false);
});
