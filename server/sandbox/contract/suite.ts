import { accessContract } from "@/server/sandbox/contract/access";
import { admissionContract } from "@/server/sandbox/contract/admission";
import { definitionsContract } from "@/server/sandbox/contract/definitions";
import { ownershipContract } from "@/server/sandbox/contract/ownership";
import { evictionContract } from "@/server/sandbox/contract/eviction";
import { quotaContract } from "@/server/sandbox/contract/quota";
import { rulesContract } from "@/server/sandbox/contract/rules";
import { webhooksContract } from "@/server/sandbox/contract/webhooks";
import { workloadsContract } from "@/server/sandbox/contract/workloads";

/** Every topic. A case that only one target passes is a bug in the sandbox. */
export const suite = [
  definitionsContract,
  rulesContract,
  accessContract,
  admissionContract,
  quotaContract,
  workloadsContract,
  ownershipContract,
];
