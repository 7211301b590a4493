import { expect } from "vitest";
import { podBody } from "@/server/sandbox/contract/admission";
import { topic } from "@/server/sandbox/contract/contract-case";
import { type Target } from "@/server/sandbox/contract/target";

const image = "localhost/busybox:1";
const look = { name: "look", image, command: ["true"] };
const contentType = "application/strategic-merge-patch+json";

async function podToLookInto(target: Target) {
  const pods = `/api/v1/namespaces/${await target.namespace()}/pods`;
  await target.send("POST", pods, { body: podBody("p") });
  const patch = (path: string) => (container: object, type?: string) =>
    target.send("PATCH", path, {
      body: { spec: { ephemeralContainers: [container] } },
      contentType: type ?? contentType,
    });
  return { pods, add: patch(`${pods}/p/ephemeralcontainers`), addToPod: patch(`${pods}/p`) };
}

export const debuggingContract = topic("containers that look into a pod", (promises) => {
  // Before 1.25 a server has this door only if it is told to.
  const since = 25;

  promises(
    "they come through their own door, which changes nothing else, and no other",
    async (target) => {
      const { pods, add, addToPod } = await podToLookInto(target);
      const early = podBody("q", {}, { ephemeralContainers: [look] });
      expect((await target.send("POST", pods, { body: early })).message).toBe(
        'Pod "q" is invalid: spec.ephemeralContainers: Forbidden: cannot be set on create',
      );
      expect((await addToPod(look)).message).toMatch(/spec: Forbidden: pod updates may not change fields other than/);
      const { status, object } = await add(look);
      expect(status).toBe(200);
      expect(object.spec).toMatchObject({ ephemeralContainers: [look], containers: [{ name: "main" }] });
      const labelled = await target.send("PATCH", `${pods}/p/ephemeralcontainers`, {
        body: { metadata: { labels: { a: "b" } } },
        contentType,
      });
      expect(labelled.object.metadata.labels).toBeUndefined();
    },
    { since },
  );

  promises(
    "those that are there stay as they are",
    async (target) => {
      const { add } = await podToLookInto(target);
      await add(look);
      expect((await add({ ...look, image: "localhost/busybox:2" })).message).toContain(
        'spec.ephemeralContainers: Forbidden: existing ephemeral containers "look" may not be changed',
      );
      expect((await add({ ...look, name: "other" }, "application/merge-patch+json")).message).toContain(
        'spec.ephemeralContainers: Forbidden: existing ephemeral containers "look" may not be removed',
      );
    },
    { since },
  );

  promises(
    "nothing may come to rely on them, and they look at what is there",
    async (target) => {
      const { add } = await podToLookInto(target);
      const at = "spec.ephemeralContainers[0]";
      expect((await add({ ...look, ports: [{ containerPort: 80 }] })).message).toContain(
        `${at}.ports: Forbidden: cannot be set for an Ephemeral Container`,
      );
      expect((await add({ ...look, name: "main" })).message).toContain(`${at}.name: Duplicate value: "main"`);
      expect((await add({ ...look, targetContainerName: "nobody" })).message).toContain(
        `${at}.targetContainerName: Not found: "nobody"`,
      );
    },
    { since },
  );
});
