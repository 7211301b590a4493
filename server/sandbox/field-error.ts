import { goQuote, goSyntax } from "@/server/sandbox/go-format";

/** What is wrong with one field, in the words of Kubernetes' own validation. */
export type FieldError = {
  type: FieldErrorType;
  field: string;
  badValue?: unknown;
  /** Instead of badValue: text that is printed as it is. */
  badText?: string;
  detail: string;
};

export type FieldErrorType = keyof typeof titles;

const titles = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueTypeInvalid: "Invalid value",
  InternalError: "Internal error",
} as const;

const withoutValue: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
  "InternalError",
]);

export function required(field: string, detail = ""): FieldError {
  return { type: "FieldValueRequired", field, detail };
}

export function invalid(field: string, badValue: unknown, detail: string): FieldError {
  return { type: "FieldValueInvalid", field, badValue, detail };
}

export function forbidden(field: string, detail: string): FieldError {
  return { type: "FieldValueForbidden", field, detail };
}

export function tooLong(field: string, bytesMax: number): FieldError {
  return { type: "FieldValueTooLong", field, detail: `must have at most ${bytesMax} bytes` };
}

export function duplicate(field: string, badValue: unknown): FieldError {
  return { type: "FieldValueDuplicate", field, badValue, detail: "" };
}

export function notFound(field: string, badValue: unknown): FieldError {
  return { type: "FieldValueNotFound", field, badValue, detail: "" };
}

export function notSupported(field: string, badValue: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length > 0 ? `supported values: ${supported.map(goQuote).join(", ")}` : "";
  return { type: "FieldValueNotSupported", field, badValue, detail };
}

/** `Invalid value: -1: must be positive`: the message of a Status cause. */
function bodyOf({ type, badValue, badText, detail }: FieldError): string {
  const head = withoutValue.has(type) ? titles[type] : `${titles[type]}: ${badText ?? shownValue(badValue)}`;
  return detail === "" ? head : `${head}: ${detail}`;
}

/** `spec.replicas: Invalid value: …`, or several of them in brackets, each once. */
export function messageOf(errors: readonly FieldError[]): string {
  const messages = [...new Set(errors.map((error) => `${error.field}: ${bodyOf(error)}`))];
  return messages.length === 1 ? String(messages[0]) : `[${messages.join(", ")}]`;
}

export function causesOf(errors: readonly FieldError[]) {
  return errors.map((error) => ({ reason: error.type, message: bodyOf(error), field: error.field }));
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '"null"';
  return goSyntax(value);
}
