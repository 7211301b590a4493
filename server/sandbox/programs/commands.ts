import { type Command } from "./command";
import { fileCommands } from "./file-commands";
import { networkCommands } from "./network-commands";
import { nodePrograms } from "./node-programs";
import { createShell } from "./shell";
import { textCommands } from "./text-commands";

const shell = createShell((name) => commandNamed(name));

const commands: Record<string, Command> = {
  ...textCommands,
  ...fileCommands,
  ...networkCommands,
  sh: shell,
  ash: shell,
  bash: shell,
  // Where an engine's image has its program: the engine is started by a script.
  "/opt/firebolt/firebolt": async (io) => (await nodePrograms.engine?.(io)) ?? 127,
};

/** The command of this name or path, as a container's own folders of programs would have it. */
export function commandNamed(name: string): Command | undefined {
  const short = name.replace(/^(\/usr)?(\/local)?\/s?bin\//, "");
  return Object.hasOwn(commands, short) ? commands[short] : undefined;
}
