import type { Explained } from "../../api/explained.ts";
import type { Place } from "../../api/page.ts";
import { placeOfText } from "../place/place.ts";
import { ageText, counted } from "../text/words.ts";

export type ExplainedFunction = Explained["functions"][number];

/** How a function stands for an object, for people. */
interface FunctionState {
  readonly mark: "dead" | "failing" | "unknown" | "waiting" | "progressing" | "healthy";
  /** `waits for Cluster.status.initialization.infrastructureProvisioned`. */
  readonly text: string;
  /** RFC 3339. */
  readonly since?: string | undefined;
  /** The letter, or what it waits for. */
  readonly place?: Place | undefined;
  /** The text of the link to the place. */
  readonly placeText?: string | undefined;
  /** It has nothing to do, or that is not known. */
  readonly isIdle?: boolean;
}

/** Returns the most important fact about a function: a letter before a failure, a failure before a wait. */
export function functionState(fn: ExplainedFunction): FunctionState {
  return deadState(fn) ?? failingState(fn) ?? nowState(fn);
}

function deadState({
  function: name,
  key,
  deadLetter,
  history,
}: ExplainedFunction): FunctionState | undefined {
  if (deadLetter === undefined) return undefined;
  const { error, deadSince } = deadLetter;
  const { state, until } = history?.state ?? {};
  const again = state === "dead" && until !== undefined ? `; tried again at ${until.slice(11, 16)} UTC` : "";
  return {
    mark: "dead",
    text: `gave up: ${error.reason}: ${error.message}${again}`,
    since: deadSince,
    place: { type: "letter", function: name, key },
    placeText: "Letter",
  };
}

function failingState({ history, now }: ExplainedFunction): FunctionState | undefined {
  const { state } = history ?? {};
  if (state?.failure !== undefined) {
    const { reason, message } = state.failure;
    const text = `failed ${counted(state.failures, "time")}: ${reason}: ${message}`;
    return { mark: "failing", text, since: state.since };
  }
  if (now.failure === undefined) return undefined;
  return { mark: "failing", text: `would fail: ${now.failure.reason}: ${now.failure.message}` };
}

function nowState({ history, now }: ExplainedFunction): FunctionState {
  const { state } = history ?? {};
  const { waitsFor, wouldSend, againAfterMs, why, notListed, notRead, old } = now;
  if (state?.state === "running") return { mark: "progressing", text: "runs now", since: state.since };
  if (state?.state === "ready") return { mark: "progressing", text: "is in the queue", since: state.since };
  if (old !== undefined)
    return { mark: "unknown", text: "not known, as its snapshots are old", isIdle: true };
  // Nothing is read live for a page, so a step that needs it cannot say what it would do.
  if (notRead !== undefined)
    return { mark: "healthy", text: `depends on a live read: ${notRead}`, isIdle: true };
  if (notListed === true) return { mark: "unknown", text: why ?? "the read model is not complete yet" };
  if (wouldSend.length > 0) return { mark: "progressing", text: `would send ${wouldSend.join(", ")}` };
  if (waitsFor !== undefined) return waitState(waitsFor);
  if (againAfterMs !== undefined) {
    return {
      mark: "healthy",
      text: `runs again in ${ageText(againAfterMs)}${why === undefined ? "" : `: ${why}`}`,
    };
  }
  return { mark: "healthy", text: "nothing to do", isIdle: true };
}

function waitState({
  what,
  object,
  value,
  isGoing,
  reason,
}: NonNullable<ExplainedFunction["now"]["waitsFor"]>): FunctionState {
  const is = value === undefined ? "" : `, which is ${String(value)}`;
  const going = isGoing === true ? "; it is being deleted" : "";
  return {
    mark: "waiting",
    text: `waits for ${what}${is}${going}${reason === undefined ? "" : `: ${reason}`}`,
    place: object === undefined ? undefined : placeOfText(object),
    placeText: object,
  };
}
