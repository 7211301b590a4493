/**
 * Where the definitions are for kubectl. Servers before 1.25 do not know rules in CEL, and kubectl refuses what they do not
 * know; for them the same definitions are kept without. `kubectl apply -f` does not go down into a folder's folders.
 */
export const crdFolders = { current: "deploy/crds", withoutCel: "deploy/crds/before-1.25" } as const;

/** The folder for a server by what it says at /version; managed ones say "24+". */
export function crdFolderFor({ major = "", minor = "" }: { major?: string; minor?: string }): string {
  const isOld = major === "1" && Number.parseInt(minor, 10) < 25;
  return isOld ? crdFolders.withoutCel : crdFolders.current;
}
