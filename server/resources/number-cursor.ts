import { Refused } from "./refusal";

/** The number below which the next page begins; without a cursor, above every number there is. */
export function cursorNumber(cursor: string | undefined): string {
  if (cursor === undefined) return "9223372036854775807";
  if (!/^\d{1,18}$/.test(cursor)) throw new Refused("invalid", "The cursor is not one of this list.");
  return cursor;
}
