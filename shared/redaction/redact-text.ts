import { type Hide, hidden } from "./hide.ts";
import { redactUrls } from "./redact-url.ts";
import { isSensitiveName } from "./sensitive-name.ts";

/** Every pattern below needs one of these. */
const SUSPICIOUS = /[=:#]|--|bearer|eyJ|[A-Za-z0-9_-]{16}/i;

// Every repetition is bounded: a text of a MiB must not take quadratic time.

const KUBECONFIG =
  /client-key-data|client-certificate-data|kind\\{0,3}["']?\s{0,4}:\s{0,4}\\{0,3}["']?Config\b/;
/** Where a kubeconfig may begin in a text. */
const KUBECONFIG_START =
  /[{\n]|\b(?:apiVersion|kind|clusters|users|contexts|current-context|preferences|client-(?:key|certificate)-data)\b/;
const BOOTSTRAP_DATA = /#cloud-config|## template: jinja|Content-Type: multipart\//;

const PEM = /-----BEGIN [A-Z0-9 ]{1,60}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,60}-----|$)/g;
/** Keys, certificates and bundles have this form; values that a step compares do not. */
const BLOB = /(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{200,}={0,2}/g;
/** The tokens of GitHub, GitLab, Slack, AWS and Vault; of kubeadm; JSON web tokens. */
const KNOWN_TOKENS =
  /\b(?:(?:gh[a-z]_|github_pat_|glpat-|xox[a-z]-|hv[sbr]\.|AKIA|ASIA)[A-Za-z0-9_-]{16,255}|[a-z0-9]{6}\.(?=[a-z]{0,15}\d)[a-z0-9]{16}\b|eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{1,4096}\.[A-Za-z0-9_-]{0,4096})/g;

const QUOTE = String.raw`\\{0,3}["']`;
const AUTHORIZATION_START = String.raw`\bauthorization(?:${QUOTE})?\s{0,4}[:=]\s{0,8}(?:\[\s{0,4})?(?:${QUOTE})?`;
/** Blanks in front belong to it: a match that gives one back must not pass. */
const NOT_HIDDEN = String.raw`(?!\s{0,8}(?:[\w-]{1,20}\s{1,8})?hmac-sha256:)`;
/** Schemes whose credentials are a list. */
const DIGEST = new RegExp(
  `(${AUTHORIZATION_START}(?:digest|aws4-hmac-sha256)\\s{1,8})${NOT_HIDDEN}([^\\r\\n]{1,8192})`,
  "gi",
);
const AUTHORIZATION = new RegExp(
  `(${AUTHORIZATION_START}${NOT_HIDDEN}(?:\\w{1,16}\\s{1,8})?)([^\\s"',;\\\\[\\]]{1,8192})`,
  "gi",
);
const BEARER = /\b(bearer\s{1,8})(?!hmac-sha256:)([A-Za-z0-9._~+/-]{1,8192}=*)/gi;
const COOKIE = new RegExp(
  String.raw`\b(cookie(?:${QUOTE})?\s{0,4}[:=]\s{0,4}(?:${QUOTE})?)(?!hmac-sha256:|\s|["'\\])([^\r\n"']{1,8192})`,
  "gi",
);
const FLAG = /(--([a-z0-9-]{1,60})\s{1,4})(?!hmac-sha256:)([^\s"'-][^\s"']{0,4095})/gi;
/** Options whose value is the name of a file or folder, which a person must be able to read in a message. */
const NAMES_A_FILE = /(?:^|-)(?:kubeconfig|file|dir)$/i;
const ASSIGNED = new RegExp(
  "((passw(?:or)?d|passphrase|passcode|token|secret|credential|signature|(?:api|access|private)[-_]?key)" +
    String.raw`(?:${QUOTE})?\s{0,4}[=:]\s{0,4})` +
    String.raw`(?:(\\{0,3}")(?!hmac-sha256:)([^"\n]{1,4096})|(\\{0,3}')(?!hmac-sha256:)([^'\n]{1,4096})|(?!hmac-sha256:)([^\s"',;&\\][^\s"',;&]{0,4095}))`,
  "gi",
);

/**
 * Returns a message, stack or other text without tokens, passwords, PEM blocks, Authorization headers, user info of
 * URLs. A kubeconfig or bootstrap data is hidden from where it begins to the end of the text.
 */
export function redactText(text: string, hide: Hide): string {
  if (text.length < 8 || !SUSPICIOUS.test(text)) return text;
  const start = startOfDocument(text);
  if (start === undefined) return redactParts(text, hide);
  // First the document: what stands before it may need its hidden text to be seen as a secret.
  return redactParts(`${text.slice(0, start)}${hidden(text.slice(start), hide)}`, hide);
}

function startOfDocument(text: string): number | undefined {
  const starts = [text.search(BOOTSTRAP_DATA), KUBECONFIG.test(text) ? text.search(KUBECONFIG_START) : -1];
  const [first] = starts.filter((start) => start >= 0).sort((a, b) => a - b);
  return first;
}

function redactParts(text: string, hide: Hide): string {
  const keepFirst = (_: string, before: string, secret: string): string => `${before}${hide(secret)}`;
  const shorter = text
    .replace(PEM, (block) => hide(block))
    .replace(BLOB, (blob) => (isFiller(blob) ? blob : hide(blob)))
    .replace(DIGEST, keepFirst)
    .replace(AUTHORIZATION, keepFirst)
    .replace(BEARER, keepFirst)
    .replace(COOKIE, keepFirst)
    .replace(KNOWN_TOKENS, (token) => hide(token))
    .replace(FLAG, (all, before: string, flag: string, value: string) =>
      isSensitiveName(flag) && !NAMES_A_FILE.test(flag) ? `${before}${hide(value)}` : all,
    );
  return redactUrls(shorter, hide).replace(ASSIGNED, (...match: Assigned) => redactAssigned(match, hide));
}

/** Two or three repeated characters are not a secret. */
function isFiller(blob: string): boolean {
  return new Set(blob.slice(0, 200)).size <= 3;
}

/** A match of `ASSIGNED`: the value stands in one of three groups, behind its opening quote if it has one. */
type Assigned = readonly [
  all: string,
  before: string,
  name: string,
  double: string | undefined,
  inDouble: string | undefined,
  single: string | undefined,
  inSingle: string | undefined,
  bare: string | undefined,
  offset: number,
  text: string,
];

/** Redacts `password: x`, `token=x`, `"secret": "x"`. */
function redactAssigned(match: Assigned, hide: Hide): string {
  const [all, before, name, double, inDouble, single, inSingle, bare, offset, text] = match;
  if (bare !== undefined) {
    const isProse = before.trimEnd().endsWith(":") && mayBeProse(name, bare);
    const isAlone = isLine(text, offset, all.length) && !bare.includes("/");
    return isProse && !isAlone ? all : `${before}${hide(bare)}`;
  }
  const quoted = inDouble ?? inSingle ?? "";
  // The quote at the end may be escaped.
  const end = /\\{0,3}$/.exec(quoted)?.[0] ?? "";
  return `${before}${double ?? single ?? ""}${hidden(quoted.slice(0, quoted.length - end.length), hide)}${end}`;
}

/** Whether it is like `invalid token: expired`. */
function mayBeProse(name: string, value: string): boolean {
  if (/^pass/i.test(name)) return false;
  return /^secret$/i.test(name) ? isNameOfObject(value) : /^[A-Za-z()]{1,60}[.:]?$/.test(value);
}

/** Whether it is like `default/c1-kubeconfig`. */
function isNameOfObject(value: string): boolean {
  return /^[a-z0-9./()-]{1,300}:?$/.test(value) && !/[a-z0-9]{20}/.test(value);
}

/** A line of YAML or of headers: only a name and its value. */
function isLine(text: string, offset: number, length: number): boolean {
  const before = text.slice(Math.max(0, offset - 128), offset);
  const start = before.lastIndexOf("\n") + 1;
  const isFirst = start > 0 || offset <= 128;
  const after = text.slice(offset + length, offset + length + 8);
  return (
    isFirst &&
    /^[\s-]{0,64}["']?[\w.-]{0,64}$/.test(before.slice(start)) &&
    /^\s{0,4}(?:[\r\n]|$)/.test(after)
  );
}
