import { type Hide, hidden } from "./hide.ts";
import { isSensitiveName } from "./sensitive-name.ts";

const ADDRESS = /\b([a-z][a-z0-9+.-]{0,30}):\/\/[^\s"'<>\\`]{1,8192}/gi;
/** Other schemes name machines and disks: their paths are identities. */
const WEB = /^(?:https?|wss?)$/i;
const BEFORE_TOKEN = /^(?:token|api[-_]?key|password|secret[-_]?id|web)?(?:hook)?s?$/i;
const MIN_RANDOM_CHARACTERS = 16;

/** Returns the text with the user info, the query secrets and the random path segments of its URLs hidden. */
export function redactUrls(text: string, hide: Hide): string {
  if (!text.includes("://")) return text;
  return text.replace(ADDRESS, (url) => {
    // A URL may carry another one in its path or query.
    const [scheme = "", ...parts] = url.split("://");
    const redacted = parts.map((part, index) => {
      const before = index === 0 ? scheme : (parts[index - 1] ?? "");
      return redactPart(part, WEB.test(/[a-z0-9+.-]*$/i.exec(before.slice(-32))?.[0] ?? ""), hide);
    });
    return [scheme, ...redacted].join("://");
  });
}

/** Characters that may follow `scheme://`. */
function redactPart(part: string, isWeb: boolean, hide: Hide): string {
  const at = endOfUserInfo(part);
  const user = at < 0 ? "" : `${hidden(part.slice(0, at), hide)}@`;
  const rest = part.slice(at + 1);
  if (!isWeb) return `${user}${rest}`;
  const end = rest.search(/[?#]/);
  const [path, query] = end < 0 ? [rest, ""] : [rest.slice(0, end), rest.slice(end)];
  return `${user}${redactPath(path, hide)}${redactQuery(query, hide)}`;
}

/** A password may hold a slash although it should not: then the text behind the colon is not a port. */
function endOfUserInfo(part: string): number {
  const slash = part.search(/[/?#]/);
  const authority = slash < 0 ? part : part.slice(0, slash);
  const at = authority.lastIndexOf("@");
  if (at >= 0) return at;
  const colon = authority.indexOf(":");
  if (colon < 0 || authority.startsWith("[") || /^\d{0,5}\W*$/.test(authority.slice(colon + 1, colon + 16)))
    return -1;
  const first = part.indexOf("@");
  // As in any authority, the last one before the path ends it.
  return first < 0 ? -1 : first + 1 + (part.slice(first + 1).split(/[/?#]/, 1)[0] ?? "").lastIndexOf("@");
}

function redactPath(path: string, hide: Hide): string {
  const segments = path.split("/");
  return segments
    .map((segment, index) => {
      if (index === 0) return segment;
      const named = BEFORE_TOKEN.test(segments[index - 1] ?? "") && segments[index - 1] !== "";
      const secret = isRandom(segment) || (named && mayBeToken(segment));
      return secret ? hidden(segment, hide) : segment;
    })
    .join("/");
}

function mayBeToken(segment: string): boolean {
  return segment.length >= 8 && /\d/.test(segment) && !segment.includes("hmac-sha256:");
}

/** Redacts `?a=b&c=d#e=f`. */
function redactQuery(query: string, hide: Hide): string {
  return query.replace(
    /([?&#;])([^=&#;]{1,512})=([^&#;]{1,8192})/g,
    (_, mark: string, name: string, value: string) => {
      const secret = isSensitiveName(name) || isRandom(value);
      return `${mark}${name}=${secret ? hidden(value, hide) : value}`;
    },
  );
}

/** Names of Kubernetes objects have no capitals, and random parts of at most ten characters. */
function isRandom(text: string): boolean {
  if (text.includes("hmac-sha256:")) return false;
  if (text.length < MIN_RANDOM_CHARACTERS || !/\d/.test(text)) return false;
  if (/[a-z]/.test(text) && /[A-Z]/.test(text)) return true;
  return /[A-Za-z0-9]{20}/.test(text) && /[A-Za-z]/.test(text);
}
