import { isTrackedEnvelope, tracked, type TrackedEnvelope } from "@trpc/server";
import { z } from "zod";

/** Output of a subscription: every item is checked against the schema as any other answer is. */
export function zAsyncIterable<Item>(item: z.ZodType<Item>) {
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
          yield tracked(id, item.parse(value));
        }
      } finally {
        await iterator.return?.();
      }
    })
    .meta({ itemSchema: item });
}
