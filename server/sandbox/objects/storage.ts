import { type Condition, type Kept, type LabelSelector } from "./meta";

export type ClaimSpec = {
  accessModes?: string[];
  resources?: { requests?: Record<string, string> };
  storageClassName?: string;
  volumeName?: string;
  volumeMode?: string;
  selector?: LabelSelector;
};
export type Claim = Kept & {
  spec: ClaimSpec;
  status?: { phase?: string; accessModes?: string[]; capacity?: Record<string, string>; conditions?: Condition[] };
};

type ClaimRef = {
  kind?: string;
  apiVersion?: string;
  namespace: string;
  name: string;
  uid?: string;
  resourceVersion?: string;
};
export type Volume = Kept & {
  spec: {
    capacity?: Record<string, string>;
    accessModes?: string[];
    persistentVolumeReclaimPolicy?: string;
    storageClassName?: string;
    volumeMode?: string;
    claimRef?: ClaimRef;
    hostPath?: { path: string; type?: string };
    nodeAffinity?: unknown;
  };
  status?: { phase?: string; reason?: string; message?: string };
};

export type StorageClass = Kept & {
  provisioner: string;
  reclaimPolicy?: string;
  volumeBindingMode?: "Immediate" | "WaitForFirstConsumer";
  allowVolumeExpansion?: boolean;
};
