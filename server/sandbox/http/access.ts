import { type IncomingHttpHeaders } from "node:http";
import { type AccessAttributes } from "@/server/sandbox/auth/rbac";
import { type UserInfo } from "@/server/sandbox/type-registry";

/** Who is it, and may they. `authenticate` throws a StatusError (401) for a credential that is wrong. */
export type Access = {
  authenticate(headers: IncomingHttpHeaders): UserInfo;
  /** Throws a StatusError (403) when the user may not. */
  authorize(user: UserInfo, wanted: AccessAttributes): void;
};
