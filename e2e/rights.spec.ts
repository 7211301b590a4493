import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { connectionFrom } from "@/server/kubernetes/connection";
import { seriousFindings } from "./axe";
import { isLive, openBrowser } from "./browser";
import { startProduct, type Product } from "./product";

let product: Product;
let client: KubernetesClient;
const { open } = openBrowser(() => product.url);
const namespace = "shop";
const engine = "/firebolt/engine/shop/analytics";

beforeAll(async () => {
  product = await startProduct({ ORRERY_IDENTITY: "token" });
  client = createClient({ connection: await connectionFrom({ kubeconfig: product.kubeconfig }), clock: systemClock });
  await user("viewer", ["get", "list", "watch"]);
  await user("operator", ["get", "list", "watch", "start", "stop", "scale", "restart", "skipDrain"]);
});
afterAll(async () => {
  await client.close();
  await product.stop();
});

/** A service account that may do this with the engines of the shop, and nothing else. */
async function user(name: string, verbs: string[]): Promise<void> {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const rules = [{ apiGroups: ["compute.firebolt.io"], resources: ["fireboltengines"], verbs }];
  await client.create(apis.serviceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } });
  await client.create(apis.role, { apiVersion, kind: "Role", metadata: { name, namespace }, rules });
  await client.create(apis.roleBinding, {
    apiVersion,
    kind: "RoleBinding",
    metadata: { name, namespace },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  });
}

async function tokenOf(name: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const { body } = await client.request("POST", path, {
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  });
  return (body as { status: { token: string } }).status.token;
}

async function signIn(name: string): Promise<Page> {
  const page = await open(engine);
  await page.waitForURL(/\/sign-in/);
  await page.getByLabel("Kubernetes token").fill(await tokenOf(name));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(new RegExp(`${engine}$`));
  await page.getByRole("heading", { level: 1, name: /analytics/ }).waitFor();
  return page;
}

test("the way in: nothing serious for axe, a wrong token is refused in words", async () => {
  const page = await open("/");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  for (const theme of ["light", "dark"]) {
    await page.locator("html").evaluate((html, wanted) => html.setAttribute("data-theme", wanted), theme);
    expect(await seriousFindings(page), theme).toEqual([]);
  }
  await page.getByLabel("Kubernetes token").fill("not a token");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
});

test("two users see the same engine, and each the buttons that are theirs", async () => {
  const viewer = await signIn("viewer");
  const stop = viewer.getByRole("button", { name: /^Stop/ });
  expect(await stop.getAttribute("aria-disabled")).toBe("true");
  expect(await stop.getAttribute("title")).toContain("This needs `stop` on fireboltengines");
  // What may not be seen is said, not left out.
  await viewer.goto(`${product.url}/all`);
  await viewer.getByText(/You may not see every namespace of/).waitFor();
  await viewer.goto(`${product.url}/feldera/pipeline/streams/orders-enrich`);
  await viewer.getByRole("alert").filter({ hasText: "This needs `get` on pipelines" }).waitFor();

  const operator = await signIn("operator");
  await expect
    .poll(() => operator.getByRole("button", { name: /^Stop/ }).getAttribute("aria-disabled"), { timeout: 60_000 })
    .toBe("false");
});

test("a session that ends is said, and the page asks for nothing more", async () => {
  const page = await signIn("viewer");
  await isLive(page);
  await page.context().clearCookies();
  // The next time that the stream is opened it is refused.
  await page.context().setOffline(true);
  await page
    .getByRole("navigation", { name: "Pages" })
    .getByText(/catching up|stale/)
    .waitFor();
  await page.context().setOffline(false);
  await page.getByRole("alert").filter({ hasText: "Your session has ended" }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.getByRole("region", { name: "What happened" }).waitFor();
  await page.waitForTimeout(4_000);
  expect(asked).toEqual([]);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.waitForURL(/\/sign-in\?to=/);
});
