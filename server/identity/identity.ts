/** Who asks. `expiresAt` ends streams and sessions; null never does. */
export type Identity = {
  name: string;
  uid?: string;
  groups: readonly string[];
  /** As TokenReview gives them; handed on to SubjectAccessReview. */
  extra?: Readonly<Record<string, readonly string[]>>;
  expiresAt: number | null;
  /** How the caller proved it: a browser's cookie needs the origin check, a tool's token does not. */
  by: "none" | "cookie" | "bearer";
};
