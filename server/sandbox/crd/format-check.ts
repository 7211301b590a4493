import { own } from "@/server/sandbox/json";
import { isIP } from "node:net";
import { type Schema } from "@/server/sandbox/crd/schema";
import { type ValueCheck } from "@/server/sandbox/crd/value-check";
import { invalid } from "@/server/sandbox/field-error";

/** The formats that Kubernetes checks; an unknown format is no constraint. */
export function compileFormat({ format, type }: Schema): ValueCheck | null {
  if (format === undefined) return null;
  const range = own(ranges, format);
  if (range !== undefined && type !== "string") return compileRange(format, type ?? "integer", range);
  const fits = own(formats, format);
  if (fits === undefined) return null;
  return (value, path, { errors }) => {
    if (typeof value !== "string" || fits(value)) return;
    const detail = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
    errors.push({ type: "FieldValueTypeInvalid", field: path, badValue: value, detail });
  };
}

type Range = readonly [least: number, most: number];

const ranges: Record<string, Range> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
  int64: [-(2 ** 63), 2 ** 63],
  uint64: [0, 2 ** 64],
};

function compileRange(format: string, type: string, [least, most]: Range): ValueCheck {
  return (value, path, { errors }) => {
    if (typeof value !== "number" || (value >= least && value <= most)) return;
    errors.push(invalid("<nil>", "", `Checked value must be of type ${type} with format ${format} in ${path}`));
  };
}

const uuid = (version: string) =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, "i");
const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
const dateTime = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:?\d{2})$/;
const goDuration =
  /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)([+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$|^[+-]?0$/;
const wordyDuration =
  /^\s*[+-]?(\d+(\.\d+)?)\s*(ns|us|µs|ms|s|m|h|d|w|nanosec|microsec|millis|sec|min|minute|hr|hour|day|week)[a-z]*\s*$/i;

const formats: Record<string, (text: string) => boolean> = {
  uri: (text) => URL.canParse(text) || /^\/[^\s]*$/.test(text),
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  hostname: (text) => text.length <= 255 && hostname.test(text),
  ipv4: (text) => isIP(text) === 4,
  ipv6: (text) => isIP(text) === 6,
  cidr: isCidr,
  mac: (text) => /^([0-9a-f]{2}[:-]){5,7}[0-9a-f]{2}$/i.test(text) || /^([0-9a-f]{4}\.){2,3}[0-9a-f]{4}$/i.test(text),
  uuid: (text) => uuid("[0-9a-f]").test(text),
  uuid3: (text) => uuid("3").test(text),
  uuid4: (text) => uuid("4").test(text),
  uuid5: (text) => uuid("5").test(text),
  hexcolor: (text) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
  "date-time": isDateTime,
  datetime: isDateTime,
  duration: (text) => goDuration.test(text) || wordyDuration.test(text),
};

function isDateTime(text: string): boolean {
  return dateTime.test(text) && !Number.isNaN(Date.parse(text.toUpperCase().replace(" ", "T")));
}

function isCidr(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  const family = isIP(address);
  return rest.length === 0 && family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}
