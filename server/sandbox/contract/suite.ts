import { accessContract } from "@/server/sandbox/contract/access";
import { admissionContract } from "@/server/sandbox/contract/admission";
import { definitionsContract } from "@/server/sandbox/contract/definitions";
import { ownershipContract } from "@/server/sandbox/contract/ownership";
import { evictionContract } from "@/server/sandbox/contract/eviction";
import { podsContract } from "@/server/sandbox/contract/pods";
import { quotaContract } from "@/server/sandbox/contract/quota";
import { rulesContract } from "@/server/sandbox/contract/rules";
import { webhooksContract } from "@/server/sandbox/contract/webhooks";
import { workloadsContract } from "@/server/sandbox/contract/workloads";
import { machineryContract } from "@/server/sandbox/contract/machinery";
import { objectsContract } from "@/server/sandbox/contract/objects";
import { patchingContract } from "@/server/sandbox/contract/patching";
import { deletingContract } from "@/server/sandbox/contract/deleting";
import { watchingContract } from "@/server/sandbox/contract/watching";
import { applyingContract } from "@/server/sandbox/contract/applying";
import { badInputContract } from "@/server/sandbox/contract/bad-input";

/** Every topic, those that wait for pods first. A case that only one target passes is a bug in the sandbox. */
export const suite = [
  podsContract,
  workloadsContract,
  ownershipContract,
  evictionContract,
  quotaContract,
  machineryContract,
  objectsContract,
  patchingContract,
  deletingContract,
  watchingContract,
  applyingContract,
  badInputContract,
  definitionsContract,
  rulesContract,
  accessContract,
  admissionContract,
  webhooksContract,
];
