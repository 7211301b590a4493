import type { TestProject } from "vitest/node";
import { startProduct } from "./product";

declare module "vitest" {
  // Vitest wants it declared so, to be merged with its own.
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions
  export interface ProvidedContext {
    /** Address of the product that all stories share. */
    url: string;
    /** And of its cluster. */
    kubeconfig: string;
  }
}

/** What the stories are about: each resource of the demo, in the state in which it comes to rest. */
const fleet = [
  { kind: "firebolt.engine", namespace: "shop", name: "analytics", states: ["stable"] },
  { kind: "feldera.pipeline", namespace: "streams", name: "orders-enrich", states: ["Running"] },
  { kind: "feldera.pipeline", namespace: "streams", name: "clicks-hourly", lifecycle: "program", states: ["Success"] },
  { kind: "feldera.pipeline", namespace: "streams", name: "fraud-score", lifecycle: "program", states: ["SqlError"] },
];

/** One product for all stories: it takes longer to start than most of them take. */
export default async function setup(project: TestProject) {
  const product = await startProduct();
  try {
    await Promise.all(fleet.map((one) => arrived(product.url, one)));
  } catch (error) {
    await product.stop();
    throw error;
  }
  project.provide("url", product.url);
  project.provide("kubeconfig", product.kubeconfig);
  return product.stop;
}

async function arrived(url: string, wanted: (typeof fleet)[number]): Promise<void> {
  const input = encodeURIComponent(JSON.stringify({ ...wanted, timeoutMs: 280_000 }));
  const answer = await fetch(`${url}/api/v1/resource.wait?input=${input}`);
  const { reached, state, reason } = (await answer.json()) as { reached: boolean; state: string; reason: string };
  if (!reached) throw new Error(`${wanted.name} is ${state}, not ${wanted.states.join()}: ${reason}`);
}
