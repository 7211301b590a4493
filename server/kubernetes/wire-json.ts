/**
 * JSON that is YAML, too: the API server reads the body of an apply as YAML, which refuses some characters that JSON
 * takes as they are. Escaped, they mean the same in both.
 */
export function wireJson(value: unknown): string {
  return JSON.stringify(value).replace(notYaml, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const notYaml = /[\u007f-\u0084\u0086-\u009f\ufeff\ufffe\uffff]/g;
