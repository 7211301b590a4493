import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { refusedWorkloads } from "@/server/sandbox/contract/refused-workloads";

export const refusalsContract = topic("What is refused", (promises) => {
  for (const [title, door, object, said] of refusedWorkloads) {
    promises(`${title} is refused in Kubernetes' words`, async (target) => {
      const [root = "", plural = ""] = door.split(":");
      const namespace = await target.namespace();
      const path = `/${root}/namespaces/${namespace}/${plural}?dryRun=All`;
      const { message } = await target.send("POST", path, { body: object });
      // Before 1.23 the decoder of JSON tells where it stood, too.
      expect(message.replace(/^.*? (is invalid|cannot be handled as an? \w+): /, "")).toMatch(said);
      expect(message).toMatch(new RegExp(`^${object.kind}`));
    });
  }
});
