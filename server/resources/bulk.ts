import { z } from "zod";
import { visibleTo } from "./access";
import type { Offer } from "./state-answers";
import { kindOf, type Asked } from "./context";
import { mustRead } from "./get";
import { offersFor, refusalAsMeant } from "./offers";
import { baseCondition, parameters, stateCondition } from "./page-filter";
import { filterSchema } from "./page-query";
import { argSchema, argsOf, askedCommand } from "./command-args";
import { unknownCommand } from "./preview";
import { readResource } from "./read-resource";
import { refSchema, type Ref } from "./ref";
import { Refused, refusalSchema, type Refusal } from "./refusal";

export const ITEMS_MAX = 2_000;

export const bulkInputSchema = z.object({
  ...askedCommand,
  of: z.union([
    z.object({ refs: z.array(refSchema).min(1).max(ITEMS_MAX) }),
    z.object({ filter: filterSchema }).describe("everything that the filter matches"),
  ]),
});
export type BulkInput = z.infer<typeof bulkInputSchema>;

export const forecastSchema = z.object({
  total: z.int(),
  allowed: z.int(),
  items: z.array(
    refSchema.extend({ state: z.string().nullable(), refusal: refusalSchema.nullable(), to: z.string().nullable() }),
  ),
  reasons: z.array(z.object({ code: z.string(), sentence: z.string(), count: z.int() })),
  args: z.record(z.string(), argSchema).describe("what the command wants to know"),
  destroys: z.boolean().describe("whether it takes something away from any of them"),
});
export type Forecast = z.infer<typeof forecastSchema>;
type ForecastItem = Forecast["items"][number];

/** What the command would be answered for each resource now: the same rule as the button and the API. */
export async function forecast(asked: Asked, input: BulkInput): Promise<Forecast> {
  const refs = await refsOf(asked, input);
  const told = await inTurns(refs, 8, (ref) => forecastOne(asked, ref, input));
  const items = told.map(({ item }) => item);
  const offers = told.flatMap(({ offer }) => offer ?? []);
  return {
    total: items.length,
    allowed: items.filter(({ refusal }) => refusal === null).length,
    items,
    reasons: reasonsOf(items.flatMap(({ refusal }) => refusal ?? [])),
    args: Object.assign({}, ...offers.map(({ args }) => args)) as Forecast["args"],
    destroys: offers.some(({ destroys }) => destroys),
  };
}

function reasonsOf(refusals: readonly Refusal[]): Forecast["reasons"] {
  const reasons = new Map<string, Forecast["reasons"][number]>();
  for (const { code, sentence, reason } of refusals) {
    const key = `${code}/${reason ?? ""}`;
    const found = reasons.get(key) ?? { code, sentence, count: 0 };
    reasons.set(key, { ...found, count: found.count + 1 });
  }
  return [...reasons.values()];
}

type Foretold = { item: ForecastItem; offer: Offer | null };

async function forecastOne(asked: Asked, ref: Ref, { command, args }: BulkInput): Promise<Foretold> {
  let offer: Offer | null = null;
  const refused = (refusal: Refusal, state: string | null = null) => ({
    item: { ...ref, state, refusal, to: null },
    offer,
  });
  try {
    await mustRead(asked, ref);
    const reading = await readResource(asked, ref);
    offer = (await offersFor(asked, reading)).find((one) => one.command === command) ?? null;
    const state = Object.values(reading.kind.lifecycles)[0]?.stateOf(reading.resource) ?? null;
    if (!offer) return refused(unknownCommand(reading, command), state);
    if (offer.refusal) return refused(offer.refusal, state);
    const asMeant = refusalAsMeant(reading, { ...argsOf(offer.args, args), type: command });
    if (asMeant) return refused(asMeant, state);
    return { item: { ...ref, state, refusal: null, to: offer.to }, offer };
  } catch (error) {
    if (error instanceof Refused) return refused(error.refusal);
    throw error;
  }
}

/** The resources that a bulk command is for; a filter is resolved once, so that the list does not move underneath. */
export async function refsOf(asked: Asked, { of }: BulkInput): Promise<Ref[]> {
  if ("refs" in of) {
    of.refs.forEach((ref) => kindOf(asked, ref.kind));
    return of.refs;
  }
  const params = parameters();
  const visible = await visibleTo(asked, asked.identity);
  const refs = await asked.database.query<Ref>(
    `SELECT "kind", "namespace", "name" FROM "Resource"
     WHERE ${baseCondition(of.filter, visible, params)} AND ${stateCondition(of.filter, params)}
     ORDER BY "id" LIMIT ${ITEMS_MAX + 1}`,
    params.values,
  );
  if (refs.length > ITEMS_MAX)
    throw new Refused("invalid", `The filter matches more than ${ITEMS_MAX} resources; narrow it.`);
  return refs;
}

/** Maps with at most `width` under way. */
export async function inTurns<T, R>(
  items: readonly T[],
  width: number,
  map: (item: T, at: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      const item = items[at];
      // `at` is below the length, and an item may itself be undefined.
      results[at] = await map(item as T, at);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}
