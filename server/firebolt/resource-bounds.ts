import { type Container } from "@/machines/firebolt/pod-template.schema";
import { type FieldFault } from "./field-rule";
import { quantityOf } from "./quantity";

/** The most that an engine container may ask for, per dimension; a dimension without one is not checked. */
export type ResourceBounds = { cpu?: string; memory?: string; "ephemeral-storage"?: string };

/** `inherited` says that the amounts come from the class, so that the reader looks for them there. */
export function boundsFaults(
  resources: Container["resources"],
  bounds: ResourceBounds,
  { inherited }: { inherited: boolean },
): FieldFault[] {
  return (["requests", "limits"] as const).flatMap((list) =>
    Object.entries(resources?.[list] ?? {}).flatMap(([name, amount]) => {
      const path = `spec.template.spec.containers[engine].resources.${list}.${name}`;
      const asked = quantityOf(amount);
      if (asked === null) return [{ path, message: `"${amount}" is not a quantity` }];
      const most = isBounded(name) ? bounds[name] : undefined;
      if (most === undefined || asked <= (quantityOf(most) ?? Infinity)) return [];
      const from = inherited ? " (inherited from the FireboltEngineClass)" : "";
      return [{ path, message: `${amount} exceeds operator-configured maximum ${most}${from}` }];
    }),
  );
}

function isBounded(name: string): name is keyof ResourceBounds {
  return name === "cpu" || name === "memory" || name === "ephemeral-storage";
}
