import { type IncomingHttpHeaders } from "node:http";
import { type UserInfo } from "@/server/sandbox/type-registry";

/** Who is it, and may they. `authenticate` throws a StatusError (401) for a credential that is wrong. */
export type Access = {
  authenticate(headers: IncomingHttpHeaders): UserInfo | Promise<UserInfo>;
  /** Throws a StatusError (403) when the user may not. */
  authorize(user: UserInfo, attributes: AccessAttributes): void | Promise<void>;
};

export type AccessAttributes =
  | {
      resource: true;
      verb: string;
      group: string;
      version: string;
      plural: string;
      subresource?: string;
      namespace?: string;
      name?: string;
    }
  | { resource: false; verb: string; path: string };
