import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/trpc/root";

/** The answers of the API, as they arrive in the browser. */
type Answers = inferRouterOutputs<AppRouter>;

export type GetAnswer = Answers["resource"]["get"];
export type Offer = GetAnswer["commands"][number];
export type ExplainAnswer = Answers["resource"]["explain"];
export type PreviewAnswer = Answers["resource"]["preview"];
export type TransitionAnswer = Answers["resource"]["history"]["transitions"][number];
export type EventAnswer = Answers["resource"]["events"]["events"][number];
export type AsOfAnswer = Answers["resource"]["asOf"];
export type GenerationAnswer = Answers["resource"]["generations"][number];
export type DigestAnswer = Answers["resource"]["digest"];
export type FlowAnswer = Answers["machines"]["flow"];
export type MachineAnswer = Answers["machines"]["get"];
