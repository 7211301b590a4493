/**
 * Pods of one engine at most: every pod is named in the config that each of them reads, and a ConfigMap ends at a megabyte.
 * A file of its own: the page that asks for a number needs no schema.
 */
export const replicasMax = 1_000;
