import type { ErrorBody } from "../../api/page.ts";
import { ask } from "./ask.ts";

/** The newest of what is known about a topic. Both: the body is old, and the error says why. */
export interface Answer<Body> {
  readonly body?: Body;
  readonly error?: ErrorBody;
}

interface Topic {
  answer: Answer<unknown>;
  etag: string;
  readonly watchers: Set<() => void>;
}

/** The answer while nothing is known. */
export const UNKNOWN: Answer<never> = {};
const topics = new Map<string, Topic>();
/** Called when the set of topics has changed: the stream must carry others. */
let topicsChanged = (): void => undefined;
/** Called when a topic could not be read: a stream that has sent it would not send it again. */
let readFailed = (): void => undefined;

export function onTopicsChange(changed: () => void, failed: () => void): void {
  topicsChanged = changed;
  readFailed = failed;
}

/** Returns what is known about a topic. */
export function answerOf(name: string): Answer<unknown> {
  return topics.get(name)?.answer ?? UNKNOWN;
}

/** The topics that a page shows, with the ETags of their newest bodies. */
export function openTopics(): readonly (readonly [name: string, etag: string])[] {
  return [...topics].map(([name, { etag }]) => [name, etag] as const);
}

/** Keeps a topic current and calls `changed` after each change, until the returned function is called. */
export function watchTopic(name: string, changed: () => void): () => void {
  const topic = topics.get(name) ?? { answer: UNKNOWN, etag: "", watchers: new Set() };
  topic.watchers.add(changed);
  if (!topics.has(name)) {
    topics.set(name, topic);
    void readTopic(name, topic);
    topicsChanged();
  }
  return () => {
    topic.watchers.delete(changed);
    // A page that follows may watch the same topic: it is dropped only if no page does.
    queueMicrotask(() => {
      if (topic.watchers.size === 0 && topics.delete(name)) topicsChanged();
    });
  };
}

/** Reads a topic from the API; an answer that the stream has overtaken is dropped. */
async function readTopic(name: string, topic: Topic): Promise<void> {
  const { answer, etag } = topic;
  const asked = await ask(name, etag === "" ? undefined : etag);
  if (topic.answer !== answer) return;
  if ("body" in asked) noteBody(name, asked.body, asked.etag);
  else if ("error" in asked) {
    noteError(name, asked.error);
    readFailed();
  }
}

/** Reads all topics again. */
export async function readTopics(): Promise<void> {
  await Promise.all([...topics].map(([name, topic]) => readTopic(name, topic)));
}

export function noteBody(name: string, body: unknown, etag: string): void {
  const topic = topics.get(name);
  if (topic === undefined) return;
  topic.etag = etag;
  change(topic, { body });
}

/**
 * Keeps the old body beside the error, but not what the person may no longer see or what is gone. Its ETag goes: the same
 * body, sent again, says that the error is over.
 */
export function noteError(name: string, error: ErrorBody): void {
  const topic = topics.get(name);
  if (topic === undefined) return;
  const isRefused = error.status >= 400 && error.status < 500 && error.status !== 429;
  topic.etag = "";
  change(topic, isRefused ? { error } : { ...topic.answer, error });
}

function change(topic: Topic, answer: Answer<unknown>): void {
  topic.answer = answer;
  for (const changed of topic.watchers) changed();
}
