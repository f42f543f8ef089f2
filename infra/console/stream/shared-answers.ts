import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { Api } from "../answers.ts";
import type { Versioned } from "../version.ts";
import type { Viewer } from "../viewer.ts";

/** Reads a topic for a viewer; viewers who see the same share an answer. Rejects with a Problem. */
export type ReadTopic = (topic: string, viewer: Viewer) => Promise<Versioned>;

const KEPT_MS = SECOND;
const MAX_KEPT = 2_000;

export function createSharedAnswers(api: Api, clock: Clock): ReadTopic {
  const kept = new Map<string, { readonly untilMs: number; readonly answer: Promise<Versioned> }>();
  return (topic, viewer) => {
    const nowMs = clock.now().getTime();
    const key = `${sightText(viewer)} ${topic}`;
    const found = kept.get(key);
    if (found !== undefined && nowMs < found.untilMs) return found.answer;
    kept.delete(key);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest);
    const answer = api.answer("GET", `/${topic}`, { viewer });
    answer.catch(() => undefined);
    kept.set(key, { untilMs: nowMs + KEPT_MS, answer });
    return answer;
  };
}

/** `/me` differs from person to person, whatever they see. */
function sightText({ name, sight }: Viewer): string {
  return `${name} ${sight === "all" ? "all" : [...sight].join(" ")}`;
}
