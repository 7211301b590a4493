import { type IncomingMessage, type ServerResponse } from "node:http";
import { type Cluster } from "@/server/sandbox/cluster";
import { type RequestContext } from "@/server/sandbox/admission-plugin";
import { type Form } from "@/server/sandbox/table/table-document";
import { type ResourceType } from "@/server/sandbox/type-registry";
import { type WatchHub } from "@/server/sandbox/watch/watch-hub";

/** One request for a resource, after it was found, authenticated and authorised. */
export type Call = {
  cluster: Cluster;
  hub: WatchHub;
  request: IncomingMessage;
  response: ServerResponse;
  type: ResourceType;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string | undefined;
  query: URLSearchParams;
  /** How the client wants to be answered. */
  form: Form;
  ctx: RequestContext;
};
