import { z } from "zod";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";
import { apis } from "@/server/kubernetes/apis";
import { labels, PIPELINE_PORT } from "../pipeline-names";
import { addressOf, podSchema } from "../pipeline.read";
import type { Target } from "./stored-pipeline";

/** What asking all processes at once may add to an answer. */
const BUDGET_MS = 500;

const toldSchema = z.object({
  runtime_status_details: z.object({ connector_stats: z.object({ num_errors: z.int() }) }),
});
type ConnectorErrors = z.infer<typeof toldSchema>["runtime_status_details"]["connector_stats"];

/** How many errors the connectors of each pipeline met, by its name; of one that cannot be asked in time, nothing. */
export async function connectorErrors(
  { asked, namespace }: Pick<Target, "asked" | "namespace">,
  pipelines: readonly Pipeline[],
): Promise<Map<string, ConnectorErrors>> {
  const running = pipelines.filter(({ status }) => status.deployment_resources_status === "Provisioned");
  if (running.length === 0) return new Map();
  const world = asked.world(asked.clock.now());
  const pods = await world.list(apis.pod, { namespace, labels: { [labels.role]: "process" } });
  const told = running.map(async ({ metadata: { name } }) => {
    const address = addressOf(pods.filter(isOf(name)).map((pod) => podSchema.parse(pod)));
    if (!address) return [];
    const url = `http://${address}:${PIPELINE_PORT}/status`;
    const answer = await world.live.fetch(url, { timeoutMs: BUDGET_MS }).catch(() => null);
    const parsed = toldSchema.safeParse(jsonOf(answer?.body ?? ""));
    return parsed.success ? [[name, parsed.data.runtime_status_details.connector_stats] as const] : [];
  });
  return new Map((await Promise.all(told)).flat());
}

function isOf(pipeline: string) {
  return ({ metadata }: { metadata: { labels?: Record<string, string> } }) =>
    metadata.labels?.[labels.pipeline] === pipeline;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
