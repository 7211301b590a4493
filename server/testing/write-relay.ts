import { type ServerResponse } from "node:http";
import { parsed, type ProxiedWrite, type ProxyState, type Whole } from "@/server/testing/fault-proxy";
import { type FaultPlan, type WriteFault } from "@/server/testing/faults";

type Carry = {
  write: ProxiedWrite;
  /** Sends it on to the API server. */
  forward: () => Promise<Whole>;
  response: ServerResponse;
  reply: (response: ServerResponse, answer: Whole) => void;
  plan: FaultPlan | null;
  state: ProxyState;
  onCrash: () => void;
};

/** Carries one write to the API server and its answer back, or does with it what the plan says. */
export async function carryWrite(carry: Carry): Promise<void> {
  const { plan, write, state } = carry;
  if (state.crashAtStatus && isStatus(write)) {
    state.crashAtStatus = false;
    return die(carry);
  }
  if (plan?.at === "write" && plan.number === write.number && !state.fired) {
    state.fired = true;
    return faults[plan.fault](carry);
  }
  return pass(carry);
}

const faults: Record<WriteFault, (carry: Carry) => Promise<void>> = {
  crashBeforeSending: die,
  crashAfterApplied: async (carry) => {
    await apply(carry);
    return die(carry);
  },
  crashBeforeStatus: async (carry) => {
    if (isStatus(carry.write)) return die(carry);
    carry.state.crashAtStatus = true;
    return pass(carry);
  },
  conflict409: refuse(409, "Conflict"),
  throttled429: refuse(429, "TooManyRequests", { "retry-after": "2" }),
  internal500: refuse(500, "InternalError"),
  unavailable503: refuse(503, "ServiceUnavailable"),
  timeout504AfterApplied: async (carry) => {
    await apply(carry);
    return refuse(504, "Timeout")(carry);
  },
  // The caller's own patience must end it.
  noAnswer: async ({ response, state }) => {
    state.held++;
    response.once("close", () => state.held--);
  },
  connectionReset: async ({ response }) => void response.destroy(),
};

function isStatus({ path }: ProxiedWrite): boolean {
  return /\/status(\?|$)/.test(path);
}

async function apply(carry: Carry): Promise<Whole> {
  const answer = await carry.forward();
  carry.write.answer = { status: answer.status, body: parsed(answer.text) };
  return answer;
}

async function pass(carry: Carry): Promise<void> {
  carry.reply(carry.response, await apply(carry));
}

async function die({ response, onCrash }: Carry): Promise<void> {
  onCrash();
  response.destroy();
}

function refuse(code: number, reason: string, headers: Record<string, string> = {}) {
  return async ({ response, reply }: Carry) => {
    const text = JSON.stringify({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      code,
      reason,
      message: `injected ${reason}`,
    });
    reply(response, { status: code, headers, text });
  };
}
