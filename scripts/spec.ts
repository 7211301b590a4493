import type { AnyStateMachine } from "xstate";
import { contentHash } from "@/machines/content-hash";
import { families } from "@/machines/families";
import type { Kind } from "@/machines/kind";
import { metaOf, stateMetaOf, statesOf } from "@/machines/lifecycle";
import { rowsOf } from "@/machines/table";
import { writeOrCheck } from "./write-or-check";

await writeOrCheck({ "machines/README.md": specOf() });

/** The specification of every lifecycle, as the machines themselves tell it. */
function specOf(): string {
  const sections = Object.values(families).flatMap(({ title, kinds }) =>
    Object.values<Kind>(kinds).flatMap((kind) =>
      Object.entries(kind.lifecycles).map(([name, { machine }]) =>
        section(`${title}: ${kind.title}, ${name}`, machine),
      ),
    ),
  );
  return [
    "# The lifecycles",
    "",
    "Written by `npm run spec` from the machines in this folder; not to be edited. Rows of one state and event are tried",
    "from top to bottom, and the first whose condition holds is taken.",
    "",
    ...sections,
  ].join("\n");
}

function section(title: string, machine: AnyStateMachine): string {
  const { description, settled, guards, actions, commands } = metaOf(machine);
  const states = statesOf(machine).map((state) => {
    const { tone, summary } = stateMetaOf(machine, state);
    return [state, tone, summary, settled.includes(state) ? "yes" : ""];
  });
  return [
    `## ${title}`,
    "",
    `\`${machine.id}\` · ${contentHash(machine)}`,
    "",
    description,
    "",
    table(["state", "tone", "means", "may rest"], states),
    table(
      ["from", "on", "when", "to", "does"],
      rowsOf(machine).map(({ from, on, when, to, does }) => [from, on, when, to, does]),
    ),
    table(
      ["condition", "when true", "when false"],
      Object.entries(guards).map(([name, { yes, no }]) => [name, yes, no]),
    ),
    table(["does", "means"], Object.entries(actions)),
    ...(Object.keys(commands).length
      ? [
          table(
            ["command", "button", "means"],
            Object.entries(commands).map(([name, command]) => [name, command.title, command.summary]),
          ),
        ]
      : []),
  ].join("\n");
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n");
}
