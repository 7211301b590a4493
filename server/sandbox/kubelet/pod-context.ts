import { type Server } from "node:net";
import { type Clock } from "@/server/kubernetes/clock";
import { type EventRecorder } from "@/server/sandbox/controllers/event-recorder";
import { type Pod } from "@/server/sandbox/objects/pod";
import { type Place } from "./address-pool";
import { type FileSystem } from "./file-system";
import { type Images } from "./images";
import { type Sources } from "./pod-environment";
import { type ProgramTable } from "./programs-of";
import { type Trouble } from "./trouble";

/** What the containers of one pod share. */
export type PodContext = {
  clock: Clock;
  /** The pod as it was last seen. */
  pod(): Pod;
  hasInit: boolean;
  address(): string;
  volumes(): ReadonlyMap<string, FileSystem>;
  sources: Sources;
  images: Images;
  programs: ProgramTable;
  trouble: Trouble;
  record: EventRecorder;
  bind(server: Server, address: string, port: number): Promise<() => void>;
  locate: (address: string, port: number) => Place;
  /** Something of the status is different. */
  changed: () => void;
  /** Marks work that no timer stands for, such as a call over a socket. */
  underWay<T>(work: Promise<T>): Promise<T>;
};
