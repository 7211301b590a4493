/** What is wrong with spec → what the server says about it, in its words. Later versions reword a few. */
export const refusals: [title: string, spec: unknown, said: RegExp][] = [
  [
    "a number below the minimum",
    { size: -2 },
    /^spec\.size: Invalid value: -2: spec\.size in body should be greater than or equal to 0$/,
  ],
  [
    "a number above the maximum",
    { size: 12 },
    /^spec\.size: Invalid value: 12: spec\.size in body should be less than or equal to 10$/,
  ],
  [
    "a number that is no multiple",
    { size: 3 },
    /^spec\.size: Invalid value: 3: spec\.size in body should be a multiple of 2$/,
  ],
  [
    "an exclusive minimum",
    { size: 2, ratio: 0 },
    /^spec\.ratio: Invalid value: 0: spec\.ratio in body should be greater than 0$/,
  ],
  ["a required field", {}, /^spec\.size: Required value$/],
  [
    "a string for an integer",
    { size: "two" },
    /^spec\.size: Invalid value: "string": spec\.size in body must be of type integer: "string"$/,
  ],
  [
    "a fraction for an integer",
    { size: 1.5 },
    /^\[?(?=.*spec\.size: Invalid value: "number": spec\.size in body must be of type integer: "number")/,
  ],
  [
    "an object for a string",
    { size: 2, color: { a: 1 } },
    /^\[?(?=.*spec\.color: Invalid value: "object": spec\.color in body must be of type string: "object")/,
  ],
  [
    "an array for a boolean",
    { size: 2, ready: [true] },
    /^spec\.ready: Invalid value: "array": spec\.ready in body must be of type boolean: "array"$/,
  ],
  [
    "a value outside an enum",
    { size: 2, color: "blue" },
    /^spec\.color: Unsupported value: "blue": supported values: "red", "green"$/,
  ],
  [
    "a number outside an enum",
    { size: 2, level: 3 },
    /^spec\.level: Unsupported value: 3: supported values: "1", "2"$/,
  ],
  [
    "a text that is too short",
    { size: 2, name: "a" },
    /^spec\.name: Invalid value: "a": spec\.name in body should be at least 2 chars long$/,
  ],
  [
    "a text that is too long",
    { size: 2, name: "abcde" },
    /^spec\.name: (Invalid value: "abcde": spec\.name in body should be at most 4 chars long|Too long: may not be (longer than 4|more than 4 bytes))$/,
  ],
  [
    "a text that does not match",
    { size: 2, name: "AB" },
    /^spec\.name: Invalid value: "AB": spec\.name in body should match '\^\[a-z\]\+\$'$/,
  ],
  [
    "too few items",
    { size: 2, tags: [] },
    /^spec\.tags: Invalid value: 0: spec\.tags in body should have at least 1 items$/,
  ],
  [
    "too many items",
    { size: 2, tags: ["a", "b", "c"] },
    /^spec\.tags: (Invalid value: 3: spec\.tags in body should have at most 2 items|Too many: 3: must have at most 2 items)$/,
  ],
  [
    "an item of the wrong type",
    { size: 2, tags: [1] },
    /^spec\.tags(\.0|\[0\])?: Invalid value: "integer": spec\.tags(\.0|\[0\])? in body must be of type string: "integer"$/,
  ],
  [
    "too few properties",
    { size: 2, labels: {} },
    /^spec\.labels: Invalid value: [01]: spec\.labels in body should have at least 1 properties$/,
  ],
  [
    "a map value of the wrong type",
    { size: 2, labels: { a: 1 } },
    /^spec\.labels\.a: Invalid value: "integer": spec\.labels\.a in body must be of type string: "integer"$/,
  ],
  ["a required field of an item", { size: 2, parts: [{}] }, /^spec\.parts(\.0|\[0\])?\.id: Required value$/],
  [
    "a boolean for an int-or-string",
    { size: 2, port: true },
    /^spec\.port: Invalid value: "boolean": spec\.port in body must be of type integer,string: "boolean"$/,
  ],
  [
    "a date that is none",
    { size: 2, when: "soon" },
    /^spec\.when: Invalid value: "soon": spec\.when in body must be of type date-time: "soon"$/,
  ],
  [
    "several faults at once",
    { size: -2, color: "blue" },
    /^\[(?=.*spec\.size: Invalid value: -2: )(?=.*spec\.color: Unsupported value: "blue": ).*\]$/,
  ],
];

/** The same for schemas of definitions: properties of spec → what is wrong with them. */
export const badSchemas: [title: string, schema: unknown, said: RegExp][] = [
  [
    "without a type",
    { properties: { a: {} } },
    /openAPIV3Schema\.properties\[spec\]\.type: Required value: must not be empty for specified object fields/,
  ],
  ["with an array of anything", { type: "array" }, /properties\[spec\]\.items: Required value: must be specified/],
  [
    "with an unknown type",
    { type: "text" },
    /properties\[spec\]\.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"/,
  ],
  [
    "with unique items",
    { type: "array", uniqueItems: true, items: { type: "string" } },
    /properties\[spec\]\.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic/,
  ],
  [
    "with properties and additionalProperties",
    { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } },
    /properties\[spec\]\.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive/,
  ],
  [
    "with a default that does not fit",
    { type: "integer", default: "x" },
    /properties\[spec\]\.default: Invalid value: "string": .*in body must be of type integer: "string"/,
  ],
  [
    "with a type inside anyOf",
    { type: "object", properties: { a: { type: "string" } }, anyOf: [{ type: "object" }] },
    /properties\[spec\]\.anyOf\[0\]\.type: Forbidden: must be empty to be structural/,
  ],
  [
    "with a keyed list without keys",
    { type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } },
    /properties\[spec\]\.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map/,
  ],
  [
    "with an optional key",
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "object", properties: { a: { type: "string" } } },
    },
    /items\.properties\[a\]\.default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property/,
  ],
];
