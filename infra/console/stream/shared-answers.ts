import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { Api, Versioned } from "../answers.ts";
import { type Changed, concerns, type Interest, isEmpty } from "../interest.ts";
import type { Viewer } from "../viewer.ts";

/** Answers of topics; viewers who see the same share them. */
export interface SharedAnswers {
  /** Returns the newest answer, or reads it when it is old. Rejects with a Problem. */
  read(topic: string, viewer: Viewer): Promise<Versioned>;
  /** Answers that these changes concern are old. */
  note(changed: Changed): void;
  /** Nothing said what has changed for a while. */
  forget(): void;
}

interface SharedAnswersOptions {
  readonly clock: Clock;
  /** Whether changes are announced; false: nothing says what changes, so that each topic is read once a second. */
  readonly isSent: boolean;
}

interface Kept {
  readonly answer: Promise<Versioned>;
  readonly askedAtMs: number;
  /** When it was last read sooner than its share of the time allows. */
  readonly quickAtMs: number;
  /** The time that the answer took; absent where it has not come yet. */
  tookMs?: number;
  interest: Interest;
  hasFailed: boolean;
  /** A change that came after it was asked for. */
  isOld: boolean;
  changedAtMs: number;
}

/** A little less than the second of the streams, whose timer is never exact. */
const AT_ONCE_MS = 0.9 * SECOND;
/** Data below an answer are up to 5 s old: after a change it is read some times more. */
const UNSETTLED_MS = 6 * SECOND;
const AGAIN_MS = 2 * SECOND;
/** Hints may be lost. */
const SETTLED_MS = MINUTE;
/** However much changes, a topic takes at most a twentieth of the time, but for the quick reads below. */
const MAX_SHARE = 1 / 20;
/** The share of a quick read: a person who changes something right after a read must see it within two seconds. */
const QUICK_SHARE = 1 / 10;
const QUICK_AGAIN_MS = 10 * SECOND;
const MAX_KEPT = 2_000;

/** Reads a topic again when a hint concerns it, and once a minute: at rest an open page costs next to nothing. */
export function createSharedAnswers(api: Api, { clock, isSent }: SharedAnswersOptions): SharedAnswers {
  const kept = new Map<string, Kept>();
  const sights = new WeakMap<Viewer, string>();
  const sightOf = (viewer: Viewer): string => {
    const text = sights.get(viewer) ?? sightText(viewer);
    sights.set(viewer, text);
    return text;
  };
  const intervalOf = ({ isOld, hasFailed, changedAtMs, interest }: Kept, nowMs: number): number => {
    if (isOld || !isSent) return AT_ONCE_MS;
    const isUnsettled = hasFailed || nowMs - changedAtMs < UNSETTLED_MS;
    return Math.min(isUnsettled ? AGAIN_MS : SETTLED_MS, interest.everyMs ?? SETTLED_MS);
  };
  const isCurrent = (entry: Kept, nowMs: number): boolean => {
    const { askedAtMs, tookMs } = entry;
    if (tookMs === undefined) return true;
    const mayBeQuick = nowMs - entry.quickAtMs >= QUICK_AGAIN_MS;
    const paceMs = tookMs / (mayBeQuick ? QUICK_SHARE : MAX_SHARE);
    return nowMs - askedAtMs < Math.max(intervalOf(entry, nowMs), paceMs);
  };
  const ask = (topic: string, viewer: Viewer, before: Kept | undefined): Kept => {
    const askedAtMs = clock.now().getTime();
    const asked = api.answer("GET", `/${topic}`, { viewer });
    const entry: Kept = {
      answer: asked,
      askedAtMs,
      quickAtMs: isQuick(before, askedAtMs) ? askedAtMs : (before?.quickAtMs ?? Number.NEGATIVE_INFINITY),
      interest: {},
      hasFailed: false,
      isOld: false,
      changedAtMs: before?.changedAtMs ?? Number.NEGATIVE_INFINITY,
    };
    const end = (): void => {
      entry.tookMs = clock.now().getTime() - askedAtMs;
    };
    asked.then(
      ({ interest }) => {
        entry.interest = interest();
        end();
      },
      () => {
        entry.hasFailed = true;
        end();
      },
    );
    return entry;
  };
  return {
    read(topic, viewer) {
      const key = `${sightOf(viewer)} ${topic}`;
      const found = kept.get(key);
      if (found !== undefined && isCurrent(found, clock.now().getTime())) return found.answer;
      kept.delete(key);
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest);
      const entry = ask(topic, viewer, found);
      kept.set(key, entry);
      return entry.answer;
    },
    note(changed) {
      if (isEmpty(changed)) return;
      const nowMs = clock.now().getTime();
      for (const entry of kept.values()) {
        // Of an answer that has not come yet nothing says what it concerns.
        if (entry.tookMs !== undefined && !concerns(changed, entry.interest)) continue;
        entry.isOld = true;
        entry.changedAtMs = nowMs;
      }
    },
    forget: () => kept.clear(),
  };
}

function isQuick(before: Kept | undefined, nowMs: number): boolean {
  return before?.tookMs !== undefined && nowMs - before.askedAtMs < before.tookMs / MAX_SHARE;
}

/** `/me` differs from person to person, whatever they see. */
function sightText({ name, sight }: Viewer): string {
  return `${name} ${sight === "all" ? "all" : [...sight].join(" ")}`;
}
