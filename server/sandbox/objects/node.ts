import { type Condition, type Kept } from "./meta";

export type Taint = { key: string; value?: string; effect: string; timeAdded?: string };
export type Node = Kept & {
  spec: { podCIDR?: string; podCIDRs?: string[]; unschedulable?: boolean; taints?: Taint[]; providerID?: string };
  status?: {
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    conditions?: Condition[];
    addresses?: { type: string; address: string }[];
    nodeInfo?: Record<string, string>;
    images?: { names: string[]; sizeBytes: number }[];
    daemonEndpoints?: { kubeletEndpoint: { Port: number } };
  };
};

export const notReadyTaint = "node.kubernetes.io/not-ready";
export const unreachableTaint = "node.kubernetes.io/unreachable";
export const unschedulableTaint = "node.kubernetes.io/unschedulable";
