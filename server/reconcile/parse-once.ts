import { type z } from "zod";

const known = new WeakMap<z.ZodType, WeakMap<object, z.ZodSafeParseResult<unknown>>>();

/**
 * Objects of a cache never change, so each is parsed once: a resource is looked at again for every change around it,
 * and what many resources share is looked at by each of them.
 */
export function parseOnce<T>(schema: z.ZodType<T>, object: object): z.ZodSafeParseResult<T> {
  const results = known.get(schema) ?? new WeakMap<object, z.ZodSafeParseResult<unknown>>();
  known.set(schema, results);
  const result = results.get(object) ?? schema.safeParse(object);
  results.set(object, result);
  return result as z.ZodSafeParseResult<T>; // kept under the schema that made it
}
