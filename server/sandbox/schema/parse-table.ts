/** A message of the API: a struct with its fields. */
export type Message = { name: string; atomic: boolean; fields: Field[] };

export type Field = {
  name: string;
  required: boolean;
  /** Zero and false are left out of the JSON, as if they had not been sent. */
  omitsZero: boolean;
  /** In protobuf, which kubectl sends for built-in kinds. */
  number: number;
  /** A letter of `scalars`, or the name of a message, of another table as `core.PodSpec`. */
  type: string;
  shape: "one" | "list" | "map";
  /** The fields of the message stand in the JSON of its parent. */
  inline: boolean;
  /** Lists: merged by these keys (server-side apply) … */
  keys: string[];
  /** … by this one (strategic merge) … */
  mergeKey: string | null;
  /** … or as a set of values. */
  set: boolean;
  /** Strategic merge: a patch names all keys that stay. */
  retainKeys: boolean;
};

/**
 * One message to a line: `Name field=number:type …`, with `@` after the name of one that is owned as a whole.
 * `field!` is required, `field~` left out when it is zero, `+field` inline. A type is a letter or a message; then `{}` a map, `[]` a list, `[=]` a set,
 * `[a,b]` a list with keys, `[a,b|c]` with another key for strategic merge, `[a|]` with none; `^` retains keys.
 */
export function parseTable(text: string): Message[] {
  return text.trim().split("\n").map(parseMessage);
}

function parseMessage(line: string): Message {
  const [head = "", ...fields] = line.split(" ");
  return { name: head.replace("@", ""), atomic: head.endsWith("@"), fields: fields.map(parseField) };
}

const FIELD =
  /^(?<inline>\+?)(?<name>\w+)(?<mark>[!~]?)=(?<number>\d+):(?<type>[\w.]+)(?<map>\{\})?(?:\[(?<list>[^\]]*)\])?(?<retain>\^?)$/;

function parseField(text: string): Field {
  const groups = FIELD.exec(text)?.groups;
  if (!groups) throw new Error(`The schema table has a field that cannot be read: ${text}`);
  const { inline, name = "", mark, number, type = "", map, list, retain } = groups;
  const [keys = "", mergeKey = keys.split(",")[0]] = (list ?? "").split("|");
  const keyed = keys !== "" && keys !== "=";
  return {
    name,
    required: mark === "!",
    omitsZero: mark === "~",
    number: Number(number),
    type,
    shape: map !== undefined ? "map" : list !== undefined ? "list" : "one",
    inline: inline === "+",
    keys: keyed ? keys.split(",") : [],
    mergeKey: keyed && mergeKey ? mergeKey : null,
    set: keys === "=",
    retainKeys: retain === "^",
  };
}
