import { isIP } from "node:net";

const RFC3339 = /^\d{4}-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const HOSTNAME =
  /^[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?(\.[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?)*$/;
/** Bounded so that nothing can be long and ambiguous at once. */
const DURATION = /^([+-]?\d{1,19}(\.\d{1,19})?(ns|us|µs|μs|ms|s|m|h)){1,8}$/;
/** The form that is accepted anywhere in the text, as by go-openapi: `1 hour`, `2 days`. */
const SPOKEN_DURATION =
  /\d\s{0,9}(ns|us|µs|ms|s|m|h|hr|d|w|wk|nano|micro|milli|sec|min|hour|day|week)(?![A-Za-zµ])|\d\s{0,9}(nano|micro|milli|sec|min|hour|day|week)/i;

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[0-9A-Za-z+/]*={0,2}$/.test(text);
}

/** Whether it is absolute, or a path from the root, as Go's url.ParseRequestURI. */
function isUri(text: string): boolean {
  return text.startsWith("/") ? !text.includes(" ") : URL.canParse(text);
}

function isCidr(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) <= (version === 4 ? 32 : 128);
}

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  "date-time": (text) => RFC3339.test(text) && isDate(text.slice(0, 10)),
  date: isDate,
  byte: isBase64,
  uri: isUri,
  email: (text) => text.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(text),
  hostname: (text) => text.length <= 253 && HOSTNAME.test(text),
  ipv4: (text) => isIP(text) === 4,
  ipv6: (text) => isIP(text) === 6,
  cidr: isCidr,
  mac: (text) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text),
  uuid: (text) => UUID.test(text),
  duration: (text) => text === "0" || DURATION.test(text) || SPOKEN_DURATION.test(text),
};

/** Whether a text has the form a schema's `format` names; formats Kubernetes does not check are always met. */
export function hasFormat(format: string, text: string): boolean {
  const check = Object.hasOwn(CHECKS, format) ? CHECKS[format] : undefined;
  return check === undefined || check(text);
}
