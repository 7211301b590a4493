/** What is true of a resource now, as plain values. It is the machine's whole context. */
export type Facts = Readonly<Record<string, unknown>>;

export type ObjectRef = {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  uid?: string;
  resourceVersion?: string;
};

/** Where a fact comes from: "StatefulSet analytics-g4: 1 of 3 pods ready". */
export type Evidence = {
  sentence: string;
  object?: ObjectRef;
  /** The sentence is a warning of the cluster's own: waiting alone may not help. */
  warning?: true;
};

export type Known<F extends Facts = Facts> = { facts: F; evidence: Partial<Record<keyof F & string, Evidence>> };
