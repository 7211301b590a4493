/** A Kubernetes quantity without rounding: billionths, and how it is written. */
export type ExactQuantity = { nano: bigint; binary: boolean };

const billion = 1_000_000_000n;

const decimalSuffixes: readonly (readonly [suffix: string, exponent: number])[] = [
  ["E", 18],
  ["P", 15],
  ["T", 12],
  ["G", 9],
  ["M", 6],
  ["k", 3],
  ["", 0],
  ["m", -3],
  ["u", -6],
  ["n", -9],
];
const binarySuffixes: readonly (readonly [suffix: string, bits: bigint])[] = [
  ["Ei", 60n],
  ["Pi", 50n],
  ["Ti", 40n],
  ["Gi", 30n],
  ["Mi", 20n],
  ["Ki", 10n],
];

export const noQuantity: ExactQuantity = { nano: 0n, binary: false };

/** What is no quantity counts as none; validation has refused it before. */
export function exactQuantity(value: unknown): ExactQuantity {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+)|([KMGTPE]i|[numkMGTPE])?)$/.exec(String(value).trim());
  if (!match) return noQuantity;
  const [, sign, whole = "", fraction = "", exponent, suffix = ""] = match;
  const bits = binarySuffixes.find(([name]) => name === suffix)?.[1];
  const power = Number(exponent ?? decimalSuffixes.find(([name]) => name === suffix)?.[1] ?? 0);
  const digits = BigInt(`${whole}${fraction}` || "0");
  const scaled =
    bits === undefined ? scale(digits, 9 + power - fraction.length) : scale(digits << bits, 9 - fraction.length);
  return { nano: sign === "-" ? -scaled : scaled, binary: bits !== undefined };
}

/** Times a power of ten; what falls off the end is rounded up, as Kubernetes does. */
function scale(digits: bigint, power: number): bigint {
  if (power >= 0) return digits * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (digits + divisor - 1n) / divisor;
}

export function plus(a: ExactQuantity, b: ExactQuantity): ExactQuantity {
  return { nano: a.nano + b.nano, binary: a.nano === 0n ? b.binary : a.binary };
}

export function minus(a: ExactQuantity, b: ExactQuantity): ExactQuantity {
  return { nano: a.nano - b.nano, binary: a.nano === 0n ? b.binary : a.binary };
}

export const count = (items: number): ExactQuantity => ({ nano: BigInt(items) * billion, binary: false });

/** The canonical text: 1500m, 2, 3k, 512Mi. */
export function quantityText({ nano, binary }: ExactQuantity): string {
  if (nano === 0n) return "0";
  const sign = nano < 0n ? "-" : "";
  const size = nano < 0n ? -nano : nano;
  if (binary && size % billion === 0n && size >= 1024n * billion) {
    const whole = size / billion;
    const fitting = binarySuffixes.find(([, bits]) => whole % (1n << bits) === 0n);
    return fitting ? `${sign}${whole >> fitting[1]}${fitting[0]}` : `${sign}${whole}`;
  }
  if (binary && size % billion === 0n) return `${sign}${size / billion}`;
  const fitting = decimalSuffixes.find(([, exponent]) => size % 10n ** BigInt(exponent + 9) === 0n) ?? ["n", -9];
  return `${sign}${size / 10n ** BigInt(fitting[1] + 9)}${fitting[0]}`;
}
