// A stand-in for a Firebolt engine: health, metrics, and queries that can be held open. It depends on nothing but Node,
// so the same file runs inside the sandbox and, from a ConfigMap, as a real pod (`node engine.mjs server --node 0`).
import { createServer } from "node:http";

const PORTS = { query: 3473, health: 8122, metrics: 9090 };

/**
 * Runs the engine until it is told to stop; resolves with the exit code.
 * Query port: POST / runs a query (`?hold=NAME` keeps it running until released, `?ms=N` for a while);
 * GET /queries lists them; POST /release, /suspend, /resume with `?name=NAME` (all without a name) act on them.
 */
export async function run(host) {
  const { env } = host;
  const queries = new Map();
  let nextId = 1;
  let served = 0;
  let stopping = false;
  let ready = false;
  const setting = (name, otherwise) => Number(env[name] ?? otherwise);
  const node = nodeOf(host.args);

  const running = () => [...queries.values()].filter((query) => !query.suspended).length;
  const suspended = () => [...queries.values()].filter((query) => query.suspended).length;

  function begin(name, ms) {
    const id = nextId++;
    return new Promise((resolve) => {
      const end = (outcome) => {
        if (!queries.delete(id)) return;
        served += 1;
        resolve({ id, ...outcome });
        if (stopping && queries.size === 0) whenIdle();
      };
      queries.set(id, { id, name, suspended: false, end });
      if (ms !== null) host.setTimeout(() => end({ ok: true }), ms);
    });
  }

  function named(name) {
    return [...queries.values()].filter((query) => name === null || query.name === name || String(query.id) === name);
  }

  const actions = {
    "/release": (name) => named(name).map((query) => query.end({ ok: true })).length,
    "/cancel": (name) => named(name).map((query) => query.end({ ok: false, error: "cancelled" })).length,
    "/suspend": (name) => named(name).map((query) => (query.suspended = true)).length,
    "/resume": (name) => named(name).map((query) => (query.suspended = false)).length,
  };

  async function answerQuery(request, response) {
    const url = new URL(request.url, "http://engine");
    const text = url.searchParams.get("query") ?? (await bodyOf(request));
    const act = actions[url.pathname];
    if (act) return json(response, 200, { changed: act(url.searchParams.get("name")) });
    if (url.pathname === "/queries") {
      return json(response, 200, {
        queries: [...queries.values()].map(({ id, name, suspended }) => ({ id, name, suspended })),
      });
    }
    // A client is told to try another node: what runs is finished, nothing begins.
    if (stopping) return json(response, 503, { error: "engine is shutting down" }, { "x-firebolt-drained": "true" });
    if (!ready) return json(response, 503, { error: "engine is starting" });
    const hold = url.searchParams.get("hold");
    const ms = url.searchParams.get("ms");
    const outcome = await begin(hold ?? text, hold !== null ? null : Number(ms ?? 0));
    return json(response, outcome.ok ? 200 : 500, {
      query: { id: outcome.id, text },
      engine: host.hostname,
      node,
      ...(outcome.ok ? { data: [[1]], rows: 1 } : { errors: [outcome.error] }),
    });
  }

  function answerHealth(request, response) {
    const path = request.url.split("?")[0];
    const healthy = { "/health/live": true, "/health/ready": ready && !stopping, "/health": ready }[path];
    if (healthy === undefined) return json(response, 404, { error: "not found" });
    return json(response, healthy ? 200 : 503, { status: healthy ? "ok" : stopping ? "draining" : "starting" });
  }

  function answerMetrics(request, response) {
    if (request.url.split("?")[0] !== "/metrics") return json(response, 404, { error: "not found" });
    const lines = [
      ["firebolt_running_queries", "gauge", "Queries that run now.", running()],
      ["firebolt_suspended_queries", "gauge", "Queries that wait for resources.", suspended()],
      ["firebolt_queries_total", "counter", "Queries that ended.", served],
    ].flatMap(([name, type, help, value]) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, `${name} ${value}`]);
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
    response.end(`${lines.join("\n")}\n`);
  }

  let whenIdle = () => undefined;
  const idle = new Promise((resolve) => (whenIdle = resolve));

  const guarded = (answer) => (request, response) => {
    Promise.resolve(answer(request, response)).catch((error) => json(response, 400, { error: error.message }));
  };
  await host.listen(createServer(guarded(answerHealth)), setting("ENGINE_HEALTH_PORT", PORTS.health));
  await host.listen(createServer(guarded(answerMetrics)), setting("ENGINE_METRICS_PORT", PORTS.metrics));
  await host.listen(createServer(guarded(answerQuery)), setting("ENGINE_QUERY_PORT", PORTS.query));
  host.log({ message: "engine started", hostname: host.hostname, node });
  host.setTimeout(() => (ready = true), setting("ENGINE_READY_AFTER_MS", 0));

  return new Promise((resolve) => {
    host.onSignal(() => {
      if (stopping) return;
      stopping = true;
      host.log({ message: "engine stops when its queries are done", queries: queries.size });
      if (queries.size === 0) return resolve(0);
      idle.then(() => resolve(0));
      host.setTimeout(() => resolve(0), setting("ENGINE_TERMINATION_GRACE_MS", 55_000));
    });
  });
}

/** Which of the configured nodes this one is: as it is told at its start. */
function nodeOf(args) {
  const at = args.indexOf("--node");
  return at < 0 ? 0 : Number(args[at + 1]);
}

function json(response, status, body, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(`${JSON.stringify(body)}\n`);
}

async function bodyOf(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

/** The host when this is the only program of a real process. */
function processHost() {
  return {
    args: process.argv.slice(2),
    env: process.env,
    hostname: process.env.HOSTNAME ?? "localhost",
    log: (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`),
    setTimeout: (act, ms) => setTimeout(act, ms),
    onSignal: (act) => process.on("SIGTERM", act),
    listen: (server, port) =>
      new Promise((resolve, reject) => server.on("error", reject).listen(port, "0.0.0.0", resolve)),
  };
}

if (process.argv[1]?.endsWith("/engine.mjs")) run(processHost()).then((code) => process.exit(code));
