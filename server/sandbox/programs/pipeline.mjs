// A stand-in for a Feldera pipeline process: status, start, pause, activate, suspend, data that outlives it, and trouble
// on request. It depends on nothing but Node, so the same file runs inside the sandbox and as a real pod.
import { createServer } from "node:http";

const PORT = 8080;
const STATE_FILE = "/storage/status.json";
const DATA_FILE = "/storage/data.json";
const CONFIG_FILE = "/config/config.json";

/** Which desired statuses may follow which: nothing returns to Standby, nothing leaves Suspended while it runs. */
const follows = {
  Standby: ["Standby", "Paused", "Running"],
  Paused: ["Paused", "Running", "Suspended"],
  Running: ["Running", "Paused", "Suspended"],
  Suspended: ["Suspended"],
};

/** What each request asks for, and of which desired statuses it may be asked. */
const requests = {
  "GET /start": { from: ["Paused", "Running"], to: () => "Running" },
  "GET /pause": { from: ["Paused", "Running"], to: () => "Paused" },
  "POST /activate": { from: ["Standby", "Paused", "Running"], to: (query) => activated(query.get("initial")) },
  "POST /suspend": { from: ["Paused", "Running", "Suspended"], to: () => "Suspended" },
};

export async function run(host) {
  const setting = (name, otherwise) => Number(host.env[name] ?? otherwise);
  const deployment = host.env.FELDERA_DEPLOYMENT_ID ?? "";
  const initial = named(host.env.FELDERA_INITIAL ?? "running");
  const stored = await jsonFrom(host, STATE_FILE);
  const data = (await jsonFrom(host, DATA_FILE)) ?? [];
  const checkpoints = stored?.checkpoints ?? [];
  const program = (await jsonFrom(host, CONFIG_FILE))?.program_version;
  let exit = () => undefined;
  let failure = null;
  let mute = false;
  let suspension = "none";
  let desired = stored?.deployment === deployment ? stored.desired : initial;
  /** What it is once it has caught up, until its last checkpoint is made. */
  let turnedTo = desired === "Suspended" ? "Running" : desired;
  /** The program whose views are computed. */
  let computed = stored?.program ?? program;
  const isFollowing = desired === "Standby";
  const hasJournal = data.length > (checkpoints.at(-1)?.processed_records ?? 0);
  /** What it has to do before it turns to what is wanted; each for as long as its setting says. */
  const ahead = [
    ["Initializing", "PIPELINE_INIT_MS"],
    ...(computed !== program && !isFollowing ? [["Bootstrapping", "PIPELINE_BOOTSTRAP_MS"]] : []),
    ...(hasJournal && !isFollowing ? [["Replaying", "PIPELINE_REPLAY_MS"]] : []),
  ];

  const startable = { ...follows, Suspended: ["Paused", "Running", "Suspended"] };
  if (stored && stored.deployment !== deployment && !startable[stored.desired]?.includes(initial)) {
    failure = problem("InvalidStartupTransition", `cannot start as ${initial} what was ${stored.desired}`);
  }

  const keep = () =>
    host.writeFile(STATE_FILE, JSON.stringify({ deployment, desired, checkpoints, program: computed }));
  const status = () => (suspension === "made" ? "Suspended" : (ahead[0]?.[0] ?? turnedTo));

  async function catchUp() {
    const [, duration] = ahead[0] ?? [];
    if (duration) {
      host.setTimeout(
        async () => {
          ahead.shift();
          await catchUp();
        },
        setting(duration, 200),
      );
      return;
    }
    if (desired === "Suspended") suspend();
    if (computed === program) return;
    computed = program;
    await keep();
  }

  async function checkpoint() {
    await host.writeFile(DATA_FILE, JSON.stringify(data));
    checkpoints.push({
      uuid: `checkpoint-${checkpoints.length + 1}`,
      fingerprint: data.length,
      processed_records: data.length,
    });
    await keep();
  }

  async function become(next) {
    const before = desired;
    desired = next;
    await keep();
    if (next !== "Suspended") {
      turnedTo = next;
      return `Transitioning from ${before} to ${next}`;
    }
    if (ahead.length === 0) suspend();
    return "Pipeline is suspending";
  }

  function suspend() {
    if (suspension !== "none") return;
    suspension = "asked for";
    host.setTimeout(
      async () => {
        await checkpoint();
        suspension = "made";
        host.log({ message: "suspended", checkpoints: checkpoints.length });
      },
      setting("PIPELINE_CHECKPOINT_MS", 300),
    );
  }

  const routes = {
    "/healthz": () => [200, { status: "ok" }],
    "/status": () =>
      mute
        ? [503, problem("Busy", "the process has no time to answer: on request")]
        : failure
          ? [500, failure]
          : [
              200,
              {
                runtime_status: status(),
                runtime_status_details: { connector_stats: { num_errors: 0 } },
                runtime_desired_status: desired,
                storage_status_details: { checkpoints },
              },
            ],
    "/data": async (request) => {
      if (request.method === "POST") {
        data.push(await bodyOf(request));
        await host.writeFile(DATA_FILE, JSON.stringify(data));
      }
      return [200, { data }];
    },
    "/panic": () => {
      failure = problem("RuntimeError.WorkerPanic", "the circuit panicked: on request");
      return [200, { message: "panicked" }];
    },
    "/mute": (_request, query) => {
      mute = query.get("off") === null;
      return [200, { message: mute ? "mute" : "talking" }];
    },
    "/exit": (_request, query) => {
      host.setTimeout(() => exit(Number(query.get("code") ?? 1)), 0);
      return [200, { message: "ending" }];
    },
  };

  async function answer(request) {
    const url = new URL(request.url, "http://pipeline");
    const asked = requests[`${request.method} ${url.pathname}`];
    if (asked) {
      const next = asked.to(url.searchParams);
      if (!next) return [400, problem("InvalidActivateStatus", "initial must be running or paused")];
      if (!asked.from.includes(desired) || !follows[desired].includes(next)) {
        return [
          400,
          problem("InvalidTransition", `cannot execute ${url.pathname.slice(1)} transition starting from ${desired}`),
        ];
      }
      return [202, { message: await become(next) }];
    }
    const route = routes[url.pathname];
    return route ? route(request, url.searchParams) : [404, problem("NotFound", `there is no ${url.pathname}`)];
  }

  const server = createServer((request, response) => {
    Promise.resolve()
      .then(() => answer(request))
      .catch((error) => [500, problem("InternalError", error.message)])
      .then(([code, body]) => {
        response.writeHead(code, { "content-type": "application/json" });
        response.end(`${JSON.stringify(body)}\n`);
      });
  });

  return new Promise((resolve, reject) => {
    exit = resolve;
    host.onSignal(() => resolve(0));
    keep()
      .then(() => host.listen(server, PORT))
      .then(() => {
        host.log({ message: "pipeline started", deployment, desired });
        return catchUp();
      })
      .catch(reject);
  });
}

function named(word) {
  return { running: "Running", paused: "Paused", standby: "Standby" }[word];
}

function activated(word) {
  return word === "standby" ? undefined : named(word ?? "running");
}

function problem(error_code, message) {
  return { message, error_code, details: {} };
}

async function jsonFrom(host, path) {
  const text = await host.readFile(path);
  return text ? JSON.parse(text) : null;
}

async function bodyOf(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

/** The host when this is the only program of a real process. */
async function processHost() {
  const { readFile, writeFile } = await import("node:fs/promises");
  return {
    env: process.env,
    args: process.argv.slice(2),
    log: (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`),
    setTimeout: (act, ms) => setTimeout(act, ms),
    onSignal: (act) => process.on("SIGTERM", act),
    readFile: (path) => readFile(path, "utf8").catch(() => null),
    writeFile,
    listen: (server, port) =>
      new Promise((resolve, reject) => server.on("error", reject).listen(port, "0.0.0.0", resolve)),
  };
}

if (process.argv[1]?.endsWith("/pipeline.mjs")) run(await processHost()).then((code) => process.exit(code));
