import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** With its ancestors, one by one: Node's own recursion never ends where the system makes no folders, as in /proc. */
export function makeFolder(path: string): void {
  if (isFolder(path)) {
    // What is mounted for reading alone says so here, and something else to whoever makes a folder in it.
    accessSync(path, constants.W_OK);
    return;
  }
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have been quicker.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
