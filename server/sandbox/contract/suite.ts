import { definitionsContract } from "@/server/sandbox/contract/definitions";
import { rulesContract } from "@/server/sandbox/contract/rules";

/** Every topic. A case that only one target passes is a bug in the sandbox. */
export const suite = [definitionsContract, rulesContract];
