import type { Names } from "./names.ts";

/** One line of a trace, as people read it. */
export interface StoryLine {
  /** Simulated ms since the start of the run. */
  readonly atMs: number;
  /** The process; undefined: all of them, such as a fault. */
  readonly lane: string | undefined;
  /** `request`, `line`, `ledger`, …; `fault`, `violation` and `note` for what no process does. */
  readonly kind: string;
  readonly text: string;
  /** Returns the story: faults, writes and refusals, ends of runs, violations, processes that start and end. */
  readonly isMain: boolean;
}

/** Titles by number: `X-22` → "the connection breaks before the answer". */
export type Titles = ReadonlyMap<string, string>;

const STEP = /^(\d+) (\S+) (\S+) (.*)$/;
const FAULT = /^(X-\d+) strikes at (.*)$/;

/** The lines of a trace, in order; a mark without a time has that of the step before it. */
export function storyOf(trace: readonly string[], names: Names, titles: Titles): readonly StoryLine[] {
  let atMs = 0;
  return trace.map((text) => {
    const [, at, lane, kind, what] = STEP.exec(text) ?? [];
    if (at === undefined || lane === undefined || kind === undefined || what === undefined)
      return markOf(text, atMs, names, titles);
    atMs = Number(at);
    const isMain = isOfTheStory(kind, what) && !isOfSomebodyElse(lane, what);
    return { atMs, lane, kind, text: named(what, kind, names), isMain };
  });
}

function markOf(text: string, atMs: number, names: Names, titles: Titles): StoryLine {
  const [, number = "", at = ""] = FAULT.exec(text) ?? [];
  const mark = { atMs, lane: undefined, isMain: true };
  if (number !== "") {
    const title = titles.get(number) ?? "unknown fault";
    return { ...mark, kind: "fault", text: `${number} (${title}) strikes at ${withServers(at, names)}` };
  }
  const kind = text.startsWith("violated: ") ? "violation" : "note";
  return { ...mark, kind, text: withObjects(withServers(text, names), names) };
}

const WRITE = /^\S+ (POST|PUT|PATCH|DELETE) (?!\S*dryRun=)/;
const REFUSED = / ([45]\d\d|reset|connect \S+ \S+)$/;

/** A write when it leaves, the answer to one that was refused, and the end of a run. */
function isOfTheStory(kind: string, what: string): boolean {
  if (kind === "request") return WRITE.test(what);
  if (kind === "answer") return WRITE.test(what) && REFUSED.test(what);
  return kind === "ledger" && /^(finish|markDead) /.test(what);
}

/** Another tenant makes a hundred edits for one write: its fault is shown, its edits are not. */
function isOfSomebodyElse(lane: string, what: string): boolean {
  return lane.startsWith("user-somebody") && what.includes("/namespaces/noisy/");
}

/** Returns the description of an operation, with names instead of addresses, paths and uids. */
function named(what: string, kind: string, names: Names): string {
  if (kind === "answer") return withObjects(withPath(withServers(withoutBody(what), names)), names);
  const isOfServer = kind === "request" || kind === "line";
  return withObjects(isOfServer ? withPath(withServers(what, names)) : what, names);
}

function withServers(text: string, { servers }: Names): string {
  return text.replace(/^127\.0\.0\.1:\d+/, (address) => servers.get(address) ?? address);
}

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function withObjects(text: string, { uids }: Names): string {
  return text.replace(UID, (uid) => {
    const name = uids.get(uid);
    return name === undefined ? uid : `uid of ${name}`;
  });
}

const PATH =
  /(?<method>[A-Z]+) \/(?:api|apis\/[^/\s]+)\/[^/\s]+(?:\/namespaces\/(?<namespace>[^/?\s]+))?\/(?<plural>[^/?\s]+)(?:\/(?<name>[^/?\s]+))?(?:\/(?<sub>[^?\s]+))?(?<query>\?\S*)?/;

/** `PATCH machinepools default/p1 status as capstan-machinepool-status` instead of a path. */
function withPath(text: string): string {
  const found = PATH.exec(text);
  if (found === null) return text;
  const { method = "", namespace, plural = "", name, sub = "", query = "" } = found.groups ?? {};
  const parameters = new URLSearchParams(query);
  const manager = parameters.get("fieldManager");
  const isWatch = parameters.get("watch") === "true";
  const version = parameters.get("resourceVersion");
  const words = [
    isWatch ? "watch" : method,
    plural,
    [namespace, name].filter((part) => part !== undefined).join("/"),
    sub,
    isWatch ? `from ${version === "" ? "the beginning" : version}` : "",
    manager === null ? "" : `as ${manager}`,
  ];
  const before = text.slice(0, found.index);
  return `${before}${words.filter((word) => word !== "").join(" ")}${text.slice(found.index + found[0].length)}`;
}

const ANSWER = /^(\S+ \S+ \S+)(?: .*)? (\d{3}(?: watch)?|reset|connect \S+ \S+)$/;

/** The body of a write stands where it leaves: its answer has the outcome. */
function withoutBody(text: string): string {
  return text.replace(ANSWER, "$1 → $2");
}

/** `0:01:05.250`: hours, minutes, seconds and milliseconds since the start. */
export function timeOf(atMs: number): string {
  const padded = (value: number, width: number): string => String(Math.floor(value)).padStart(width, "0");
  const minutes = padded((atMs / 60_000) % 60, 2);
  const seconds = padded((atMs / 1_000) % 60, 2);
  return `${Math.floor(atMs / 3_600_000)}:${minutes}:${seconds}.${padded(atMs % 1_000, 3)}`;
}

/** Milliseconds of `1:02:03.500`, `2:03` or `3.5`; undefined for other text. */
export function parseTime(text: string): number | undefined {
  const [, hours = "0", minutes = "0", seconds = ""] =
    /^(?:(?:(\d+):)?(\d+):)?(\d+(?:\.\d{1,3})?)$/.exec(text) ?? [];
  if (seconds === "") return undefined;
  return Math.round((Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000);
}
