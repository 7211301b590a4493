import { expect, test } from "vitest";
import { parseEnv } from "./env";

test("with no option, the cluster is the sandbox, whatever other variables say", () => {
  expect(parseEnv({ KUBECONFIG: "/home/me/.kube/config" })).toMatchObject({
    ORRERY_CLUSTER: "sandbox",
    ORRERY_HOST: "127.0.0.1",
    ORRERY_PORT: 3000,
    ORRERY_IDENTITY: "none",
  });
});

test("who names a kubeconfig asks for that cluster", () => {
  expect(parseEnv({}, ["--kubeconfig", "prod.yaml", "--context=eu"])).toMatchObject({
    ORRERY_CLUSTER: "kubeconfig",
    ORRERY_KUBECONFIG: "prod.yaml",
    ORRERY_CONTEXT: "eu",
  });
});

test("a flag wins over its variable, and a yes-or-no flag needs no value", () => {
  expect(
    parseEnv({ ORRERY_PORT: "4000", ORRERY_DEMO: "true" }, ["--port", "5000", "--reset", "--demo=false"]),
  ).toMatchObject({
    ORRERY_PORT: 5000,
    ORRERY_RESET: true,
    ORRERY_DEMO: false,
  });
});

test.each([
  [{ ORRERY_PORT: "http" }, [], "ORRERY_PORT (--port): must be a port number."],
  [{ ORRERY_PORT: "70000" }, [], "ORRERY_PORT (--port): must be a port between 0 and 65535."],
  [{ DATABASE_URL: "mysql://x" }, [], "DATABASE_URL (--database-url): must begin with postgres:// or postgresql://."],
  [
    { ORRERY_ENGINE_MAX_CPU: "lots" },
    [],
    "ORRERY_ENGINE_MAX_CPU (--engine-max-cpu): must be a Kubernetes quantity such as 500m or 16Gi.",
  ],
  [{}, ["--colour"], "--colour is not an option; --help lists them."],
  [{}, ["--port"], "--port needs a value."],
])("a bad value is told with its name and its rule: %o %o", (variables, args, sentence) => {
  expect(() => parseEnv(variables, args)).toThrow(sentence);
});
