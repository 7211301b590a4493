import { randomBytes } from "node:crypto";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A new identifier that sorts by its time: 10 characters of milliseconds, 16 of chance. */
export function ulid(now: number): string {
  let time = "";
  for (let rest = now, digit = 0; digit < 10; digit++, rest = Math.floor(rest / 32))
    time = (alphabet[rest % 32] ?? "") + time;
  return time + [...randomBytes(16)].map((byte) => alphabet[byte % 32] ?? "").join("");
}
