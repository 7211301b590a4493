/** A rule that a field breaks: where, and what the rule is. */
export type FieldFault = { path: string; message: string };

export function faultText(faults: readonly FieldFault[]): string {
  return faults.map(({ path, message }) => `${path}: ${message}`).join("; ");
}
