import { isTrackedEnvelope, tracked, type TrackedEnvelope } from "@trpc/server";
import { z } from "zod";

/** Output of a subscription: every item is checked against the schema as any other answer is, once for all who get it. */
export function zAsyncIterable<Item extends object>(item: z.ZodType<Item>) {
  const checked = new WeakMap<object, Item>();
  const check = (value: Item): Item => {
    const known = checked.get(value) ?? item.parse(value);
    checked.set(value, known);
    return known;
  };
  return z
    .custom<AsyncIterable<TrackedEnvelope<Item>>>(
      (value) => typeof value === "object" && value !== null && Symbol.asyncIterator in value,
    )
    .transform(async function* (items): AsyncGenerator<TrackedEnvelope<Item>, void, unknown> {
      const iterator = items[Symbol.asyncIterator]();
      try {
        for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
          if (!isTrackedEnvelope(next.value)) throw new Error("A subscription gives tracked items only.");
          const [id, value] = next.value;
          yield tracked(id, check(value));
        }
      } finally {
        await iterator.return?.();
      }
    })
    .meta({ itemSchema: item });
}
