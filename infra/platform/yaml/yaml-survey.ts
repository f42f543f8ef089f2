import { EVENT_ID, type Event, getScalarValue } from "js-yaml";

export interface SurveyedDocument {
  /** The line of its first value, from 1; 0 for an empty document. */
  readonly line: number;
  /** Keys that a map has twice, the second time on that line. The last value counts. */
  readonly duplicates: readonly { readonly key: string; readonly line: number }[];
}

interface Survey {
  readonly documents: readonly SurveyedDocument[];
  readonly aliases: number;
}

interface Level {
  /** Undefined for anything but a map. */
  readonly keys: Set<string> | undefined;
  isKeyNext: boolean;
}

/** An event that begins a value. */
export type ValueEvent = Exclude<Event, { readonly type: typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.POP }>;

/** Surveys each document in one pass over the parser's events of `text`. */
export function surveyEvents(events: readonly Event[], text: string): Survey {
  const documents: { line: number; duplicates: { key: string; line: number }[] }[] = [];
  const levels: Level[] = [];
  const lineAt = createLineCounter(text);
  let aliases = 0;

  const noteKey = (level: Level, event: ValueEvent) => {
    const key = keyOf(event, text);
    if (key === undefined) return;
    if (level.keys?.has(key)) documents.at(-1)?.duplicates.push({ key, line: lineAt(startOf(event)) });
    level.keys?.add(key);
  };
  const noteValue = (event: ValueEvent) => {
    const document = documents.at(-1);
    if (document?.line === 0 && startOf(event) >= 0) document.line = lineAt(startOf(event));
    const level = levels.at(-1);
    if (level?.keys === undefined) return;
    if (level.isKeyNext) noteKey(level, event);
    level.isKeyNext = !level.isKeyNext;
  };

  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      levels.pop();
      continue;
    }
    if (event.type === EVENT_ID.DOCUMENT) documents.push({ line: 0, duplicates: [] });
    else noteValue(event);
    if (event.type === EVENT_ID.ALIAS) aliases += 1;
    else if (event.type !== EVENT_ID.SCALAR) levels.push(levelOf(event));
  }
  return { documents, aliases };
}

function levelOf({ type }: Event): Level {
  const isMap = type === EVENT_ID.MAPPING;
  return { keys: isMap ? new Set() : undefined, isKeyNext: isMap };
}

/** Returns the start; negative for a value that is not written. */
export function startOf(event: ValueEvent): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  return event.type === EVENT_ID.ALIAS ? event.anchorStart : event.start;
}

/** Returns undefined for `<<`, which a map may have twice, and for keys that are not texts. */
function keyOf(event: ValueEvent, text: string): string | undefined {
  if (event.type !== EVENT_ID.SCALAR) return undefined;
  const key = getScalarValue(text, event);
  return key === "<<" ? undefined : key;
}

/** Returns the line of a place, from 1; for places in ascending order it reads each character once. */
export function createLineCounter(text: string): (place: number) => number {
  let line = 1;
  let next = text.indexOf("\n");
  return (place) => {
    while (next >= 0 && next < place) {
      line += 1;
      next = text.indexOf("\n", next + 1);
    }
    return line;
  };
}
