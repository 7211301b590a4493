import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { crdFolderFor, crdFolders } from "./crd-folders";

// prettier-ignore
test.each([
  ["1", "20",  crdFolders.withoutCel],
  ["1", "24+", crdFolders.withoutCel],
  ["1", "25",  crdFolders.current],
  ["1", "36",  crdFolders.current],
  ["2", "0",   crdFolders.current],
])("a server of version %s.%s takes the definitions in its folder", (major, minor, folder) => {
  expect(crdFolderFor({ major, minor })).toBe(folder);
});

test("what a server before 1.25 is given has every kind, and no rule that it does not know", async () => {
  const yamlIn = async (folder: string) => (await readdir(folder)).filter((name) => name.endsWith(".yaml"));
  const old = await yamlIn(crdFolders.withoutCel);
  expect(old).toEqual(await yamlIn(crdFolders.current));
  for (const name of old) {
    expect(await readFile(`${crdFolders.withoutCel}/${name}`, "utf8")).not.toContain("x-kubernetes-validations");
  }
});
