import { accessContract } from "@/server/sandbox/contract/access";
import { admissionContract } from "@/server/sandbox/contract/admission";
import { definitionsContract } from "@/server/sandbox/contract/definitions";
import { quotaContract } from "@/server/sandbox/contract/quota";
import { rulesContract } from "@/server/sandbox/contract/rules";

/** Every topic. A case that only one target passes is a bug in the sandbox. */
export const suite = [definitionsContract, rulesContract, accessContract, admissionContract, quotaContract];
