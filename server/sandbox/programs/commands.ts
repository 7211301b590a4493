import { type Command } from "./command";
import { fileCommands } from "./file-commands";
import { networkCommands } from "./network-commands";
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
};

/** The command of this name or path, as a container's own folders of programs would have it. */
export function commandNamed(name: string): Command | undefined {
  const short = name.replace(/^(\/usr)?(\/local)?\/s?bin\//, "");
  return Object.hasOwn(commands, short) ? commands[short] : undefined;
}
