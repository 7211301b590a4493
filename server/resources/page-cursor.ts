import { z } from "zod";
import type { PageQuery } from "./page-query";
import { Refused } from "./refusal";

/** The order of a page: SQL expressions that are compared as one row, the id last so that no two rows are equal. */
export function orderOf({ sort }: Pick<PageQuery, "sort">): string[] {
  return [...orders[sort], id];
}

/** Where the next page begins: the values of the order's expressions in the last row. */
export function cursorOf({ sort, direction }: PageQuery, values: unknown[]): string {
  return Buffer.from(JSON.stringify([sort, direction, ...values])).toString("base64url");
}

export function valuesOf({ sort, direction, cursor }: PageQuery): (string | number)[] | null {
  if (cursor === undefined) return null;
  const parsed = cursorSchema.safeParse(jsonOf(cursor));
  const [forSort, forDirection, ...values] = parsed.data ?? [];
  const isOurs = forSort === sort && forDirection === direction && values.length === orderOf({ sort }).length;
  if (!isOurs || !values.every((value, at) => typeof value === typeOf(orderOf({ sort })[at] ?? "")))
    throw new Refused("invalid", "The cursor is of another list: ask for the first page again.");
  return values;
}

const cursorSchema = z.array(z.union([z.string().max(300), z.number()])).max(6);

const id = text("id");
const orders: Record<PageQuery["sort"], string[]> = {
  // What needs attention first, then the most recent change.
  attention: [`"attention"::float8`, `-${seconds()}`],
  name: [text("name")],
  namespace: [text("namespace"), text("name")],
  kind: [text("kind"), text("name")],
  state: [text("state"), text("name")],
  since: [seconds()],
};

function text(column: string): string {
  return `"${column}" COLLATE "C"`;
}

function seconds(): string {
  return `coalesce(date_part('epoch', "since"), 0)::float8`;
}

function typeOf(expression: string): "string" | "number" {
  return expression.includes("float8") ? "number" : "string";
}

function jsonOf(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}
