import { accessContract } from "@/server/sandbox/contract/access";
import { reviewsContract } from "@/server/sandbox/contract/reviews";
import { autoscalersContract } from "@/server/sandbox/contract/autoscalers";
import { admissionContract } from "@/server/sandbox/contract/admission";
import { customDefaultsContract } from "@/server/sandbox/contract/custom-defaults";
import { customDoorsContract } from "@/server/sandbox/contract/custom-doors";
import { customValidationContract } from "@/server/sandbox/contract/custom-validation";
import { definitionsContract } from "@/server/sandbox/contract/definitions";
import { customSelectorsContract } from "@/server/sandbox/contract/custom-selectors";
import { jobsContract } from "@/server/sandbox/contract/jobs";
import { ownershipContract } from "@/server/sandbox/contract/ownership";
import { evictionContract } from "@/server/sandbox/contract/eviction";
import { podsContract } from "@/server/sandbox/contract/pods";
import { podLivesContract } from "@/server/sandbox/contract/pod-lives";
import { quotaContract } from "@/server/sandbox/contract/quota";
import { rulesContract } from "@/server/sandbox/contract/rules";
import { webhooksContract } from "@/server/sandbox/contract/webhooks";
import { statefulSetsContract } from "@/server/sandbox/contract/stateful-sets";
import { deploymentsContract } from "@/server/sandbox/contract/deployments";
import { machineryContract } from "@/server/sandbox/contract/machinery";
import { listingContract } from "@/server/sandbox/contract/listing";
import { objectsContract } from "@/server/sandbox/contract/objects";
import { patchingContract } from "@/server/sandbox/contract/patching";
import { deletingContract } from "@/server/sandbox/contract/deleting";
import { watchingContract } from "@/server/sandbox/contract/watching";
import { applyingContract } from "@/server/sandbox/contract/applying";
import { debuggingContract } from "@/server/sandbox/contract/debugging";
import { badInputContract } from "@/server/sandbox/contract/bad-input";
import { refusalsContract } from "@/server/sandbox/contract/refusals";

/** Every topic, those that wait for pods first. A case that only one target passes is a bug in the sandbox. */
export const suite = [
  podsContract,
  podLivesContract,
  statefulSetsContract,
  deploymentsContract,
  jobsContract,
  ownershipContract,
  evictionContract,
  quotaContract,
  machineryContract,
  objectsContract,
  autoscalersContract,
  listingContract,
  patchingContract,
  deletingContract,
  watchingContract,
  applyingContract,
  badInputContract,
  debuggingContract,
  refusalsContract,
  definitionsContract,
  customValidationContract,
  customDefaultsContract,
  customDoorsContract,
  customSelectorsContract,
  rulesContract,
  accessContract,
  reviewsContract,
  admissionContract,
  webhooksContract,
];
