import { describe, expect, test } from "vitest";
import { AuditLog } from "../audit/audit-log";
import { MachineCards } from "../machines/machine-cards";
import { MachinePage } from "../machines/machine-page";
import { ResourceList } from "../list/resource-list";
import { About } from "../about/about";
import { LifecycleCard } from "../resource/lifecycle-card";
import { ResourcePage } from "../resource/resource-page";
import { Attention } from "../overview/attention";
import { Lately } from "../overview/lately";
import { GenerationDiff } from "../resource/generation-diff";
import { OwnedObjects } from "../resource/owned-objects";
import { Timeline } from "../resource/timeline";
import { useHistory } from "../resource/use-history";
import { WarningEvents } from "../resource/warning-events";
import { answered, failed, whileAsking, type Answers } from "./fixtures/rendered";

const ref = { kind: "firebolt.engine", namespace: "shop", name: "analytics" };
const page = (first: object) => ({ pages: [first], pageParams: [null] });
const nobody = {
  rows: [],
  nextCursor: null,
  counts: { total: 0, states: [], tones: {}, kinds: {}, namespaces: {} },
  hidden: [],
  version: "0",
};

function Happened() {
  return <Timeline resource={ref} history={useHistory(ref)} at={null} onAt={() => undefined} />;
}

type Case = { part: React.ReactNode; nothing: Answers; say: string };
const panels: Record<string, Case> = {
  "what wants you": { part: <Attention />, nothing: { "fleet.page": nobody }, say: "Nothing is here yet" },
  "every lifecycle": {
    part: <MachineCards hrefs="list" />,
    nothing: { "machines.list": [], "machines.pictures": {} },
    say: "There is no machine.",
  },
  list: {
    part: <ResourceList kind={ref.kind} />,
    nothing: { "machines.list": [], list: page(nobody), "fleet.page": nobody },
    say: "Nothing matches.",
  },
  lately: { part: <Lately />, nothing: { "fleet.lately": [] }, say: "Nothing has happened yet." },
  warnings: {
    part: <WarningEvents {...ref} until={null} />,
    nothing: { "resource.events": { events: [] } },
    say: "No warning was seen.",
  },
  "owned objects": {
    part: <OwnedObjects {...ref} />,
    nothing: { "resource.objects": { tree: [], hidden: [] } },
    say: "It owns nothing.",
  },
  "what happened": {
    part: <Happened />,
    nothing: { "resource.history": page({ transitions: [], nextCursor: null }), "resource.events": { events: [] } },
    say: "Nothing has happened yet since Orrery looks at it.",
  },
  generations: {
    part: <GenerationDiff resource={ref} upTo={null} />,
    nothing: { "resource.generations": [] },
    say: "No generation was written down yet.",
  },
  "audit log": {
    part: <AuditLog />,
    nothing: { "commands.page": page({ commands: [], nextCursor: null }) },
    say: "Nobody has asked for anything yet.",
  },
};

const away = "The database is away.";

describe.each(Object.entries(panels))("%s", (_name, { part, nothing, say }) => {
  test("shows bones while it is asked for, and neither words nor numbers that nobody knows", () => {
    const html = whileAsking(part);
    expect(html).toContain('aria-busy="true"');
    expect(html).not.toContain(say);
  });

  test("says so when there is nothing", () => {
    const html = answered(part, nothing);
    expect(html).toContain(say);
    expect(html).not.toMatch(/aria-busy|stale-note|role="alert"/);
  });

  test("says why it has nothing to show, and offers to try again", () => {
    const html = failed(part, away);
    expect(html).toMatch(new RegExp(`role="alert">${away}.*Try again`));
    expect(html).not.toContain(say);
  });

  test("keeps showing what it knew, with how old that is", () => {
    const html = failed(part, away, nothing);
    expect(html).toContain(say);
    expect(html).toMatch(/stale-note">as of <time dateTime="[^"]+Z".* ago: The database is away\./);
  });
});

const lifecycle = {
  lifecycle: "phase",
  title: "Engine",
  machine: "0000000",
  state: "stable",
  tone: "good" as const,
  since: null,
  desired: null,
  summary: "Running what the spec says",
  settled: true,
  composedOf: [],
};

/** What is never empty where it is there at all. */
const wholes: Record<string, React.ReactNode> = {
  resource: <ResourcePage {...ref} />,
  diagram: <LifecycleCard kind={ref.kind} lifecycle={lifecycle} transitions={[]} onAt={() => undefined} />,
  machine: <MachinePage kind={ref.kind} lifecycle="phase" />,
  about: <About />,
};

describe.each(Object.entries(wholes))("%s", (_name, part) => {
  test("shows bones while it is asked for", () => {
    expect(whileAsking(part)).toContain('aria-busy="true"');
  });

  test("says why it has nothing to show, and offers to try again", () => {
    expect(failed(part, away)).toMatch(new RegExp(`role="alert">${away}.*Try again`));
  });
});
