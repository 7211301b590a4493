import { type Kept } from "./meta";

export type ServicePort = {
  name?: string;
  port: number;
  targetPort?: number | string;
  protocol?: string;
  appProtocol?: string;
  nodePort?: number;
};
export type Service = Kept & {
  spec: {
    selector?: Record<string, string>;
    ports?: ServicePort[];
    clusterIP?: string;
    type?: string;
    externalName?: string;
    publishNotReadyAddresses?: boolean;
    ipFamilies?: string[];
  };
};

type TargetRef = { kind: string; namespace: string; name: string; uid: string; resourceVersion?: string };
export type EndpointAddress = { ip: string; hostname?: string; nodeName?: string; targetRef?: TargetRef };
type EndpointPort = { name?: string; port: number; protocol?: string; appProtocol?: string };
export type EndpointSubset = {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
};
export type Endpoints = Kept & { subsets?: EndpointSubset[] };

export type SliceEndpoint = {
  addresses: string[];
  conditions: { ready: boolean; serving: boolean; terminating: boolean };
  hostname?: string;
  nodeName?: string;
  targetRef?: TargetRef;
};
export type EndpointSlice = Kept & {
  addressType: string;
  endpoints: SliceEndpoint[];
  ports?: { name: string; port: number; protocol: string; appProtocol?: string }[];
};
