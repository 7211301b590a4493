import { stringify } from "yaml";
import { crdOf } from "@/machines/crd";
import { kinds } from "@/machines/families";
import type { Kind } from "@/machines/kind";
import { crdFolders } from "@/server/boot/crd-folders";
import { writeOrCheck } from "./write-or-check";

const head = "# Written by `npm run crds` from the schemas in machines/; not to be edited.\n";
const withoutRules = (kind: Kind): Kind => ({ ...kind, crd: { ...kind.crd, rules: {} } });
const fileOf = (folder: string, kind: Kind): [path: string, text: string] => [
  `${folder}/${kind.api.group}_${kind.api.plural}.yaml`,
  head + stringify(crdOf(kind), { aliasDuplicateObjects: false, lineWidth: 120 }),
];

await writeOrCheck(
  Object.fromEntries(
    Object.values<Kind>(kinds).flatMap((kind) => [
      fileOf(crdFolders.current, kind),
      fileOf(crdFolders.withoutCel, withoutRules(kind)),
    ]),
  ),
);
