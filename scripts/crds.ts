import { stringify } from "yaml";
import { crdOf } from "@/machines/crd";
import { kinds } from "@/machines/families";
import { writeOrCheck } from "./write-or-check";

const head = "# Written by `npm run crds` from the schemas in machines/; not to be edited.\n";
// Kubernetes before 1.25 has no x-kubernetes-validations: the server leaves them out, kubectl wants --validate=false.
await writeOrCheck(
  Object.fromEntries(
    Object.values(kinds).map((kind) => [
      `deploy/crds/${kind.api.group}_${kind.api.plural}.yaml`,
      head + stringify(crdOf(kind), { aliasDuplicateObjects: false, lineWidth: 120 }),
    ]),
  ),
);
