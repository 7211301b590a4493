import { type Container, type ContainerState } from "@/server/sandbox/objects/pod";
import { type Exit } from "@/server/sandbox/programs/program";
import { type PodContext } from "./pod-context";

/** What a container is in its pod. */
export type Role = { list: "containers" | "initContainers" | "ephemeralContainers"; restarts: (exit: Exit) => boolean };

/** What the parts of a container's life share. */
export type ContainerContext = {
  pod: PodContext;
  container: Container;
  role: Role;
  /** It ends, and will not run again. */
  halt: AbortSignal;
  /** An event of the pod that names this container. */
  record: (type: "Normal" | "Warning", reason: string, message: string) => void;
  become: (state: ContainerState) => void;
};
