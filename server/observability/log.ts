/** One JSON object per line. `with` gives a logger whose fields are on each of its lines. */
export type Log = Record<Level, (message: string, fields?: Fields) => void> & { with(fields: Fields): Log };
export type Level = "debug" | "info" | "warn" | "error";
type Fields = Readonly<Record<string, unknown>>;

const severity: Record<Level, number> = { debug: 0, info: 1, warn: 2, error: 3 };

export function createLog(options: { level?: Level; now?: () => number; write?: (line: string) => void } = {}): Log {
  const { level = "info", now = Date.now, write = (line: string) => void process.stderr.write(line) } = options;
  const least = severity[level];

  const loggerOf = (base: Fields): Log => {
    const at = (own: Level) => (message: string, fields?: Fields) => {
      if (severity[own] < least) return;
      const line = {
        time: new Date(now()).toISOString(),
        level: own,
        message: redactText(message),
        ...base,
        ...fields,
      };
      write(JSON.stringify(line, redactField) + "\n");
    };
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      with: (fields) => loggerOf({ ...base, ...fields }),
    };
  };
  return loggerOf({});
}

/** For tests and for callers that want none. */
export const silentLog: Log = createLog({ level: "error", write: () => undefined });

/** Names of fields whose values are nobody's business. */
const SECRET_FIELD =
  /^(authorization|cookie|set-cookie|password|passwd|secret|client-?secret|token|access-?token|refresh-?token|id-?token|api-?key|private-?key|client-?key(-data)?|data|stringdata)$/i;
/** Secrets that are part of a text: bearer tokens, JSON web tokens, passwords in addresses. */
const SECRET_TEXT = /(bearer\s+)[\w.~+/=-]+|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*|(\/\/[^\s:/@]+:)[^\s@/]+(?=@)/gi;

export function redactText(text: string): string {
  return text.replace(SECRET_TEXT, (_, bearer?: string, user?: string) => `${bearer ?? user ?? ""}(hidden)`);
}

function redactField(this: unknown, name: string, value: unknown): unknown {
  if (SECRET_FIELD.test(name)) return "(hidden)";
  if (typeof value === "string") return redactText(value);
  if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack };
  return value;
}
