import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { procedures } from "./procedures";

/** Every name in the first column; `.short` ones are of the router that was named last. */
function namedPaths(): Set<string> {
  const rows = readFileSync(join("deploy", "privileged-paths.md"), "utf8").match(/^\| .*$/gm) ?? [];
  const named = rows.flatMap((row) => {
    let router = "";
    return [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => {
      if (name.startsWith(".")) return router + name;
      router = name.split(".")[0] ?? "";
      return name;
    });
  });
  return new Set(named);
}

test("the page of privileged paths names every procedure", () => {
  const named = namedPaths();
  expect([...procedures.keys()].filter((path) => !named.has(path))).toEqual([]);
});

test("and every other route that the web process serves", () => {
  const routes = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("route.ts"))
    .map((file) => `/${dirname(file)}`.replace(/\/\[.*$/, ""));
  // The procedures themselves.
  const others = routes.filter((route) => route !== "/api/trpc" && route !== "/api/v1");
  expect(others.length).toBeGreaterThan(2);
  const named = [...namedPaths()];
  expect(others.filter((route) => !named.some((path) => path.startsWith(route)))).toEqual([]);
});
