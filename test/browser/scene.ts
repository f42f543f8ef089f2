import type { Page } from "playwright-core";
import type { ErrorBody } from "../../infra/console/api/page.ts";

/** The time in all scenes, by the clock of the simulation: 45 minutes after its beginning. */
export const NOW = "2026-01-01T00:45:00.000Z";

/** Answer of the API: a body, or an error. */
export type SceneAnswer = object | { readonly error: ErrorBody };

/** Changes what the API answers while a page is open. */
export interface Stage {
  /** Changes the answer of a topic, and sends it through the streams. */
  change(topic: string, answer: SceneAnswer): void;
}

/** A state that follows another one in the same page. */
interface Step {
  /** Of its snapshot and its screenshots. */
  readonly name: string;
  /** Leads to it, by the keyboard. */
  readonly act: (page: Page, stage: Stage) => Promise<void>;
  /** A text that is on the page when it has come. */
  readonly shows: string;
}

/** One state of a page, as a person may meet it, and those that it leads to. */
export interface Scene {
  /** Of its snapshot and its screenshots. */
  readonly name: string;
  /** Path and query of the page. */
  readonly path: string;
  /**
   * By topic, by its path without the query, or by `POST PATH`. A topic that is missing is not there (404); one without an
   * answer never comes.
   */
  readonly answers: { readonly [topic: string]: SceneAnswer | undefined };
  /** The stream is cut as soon as it begins. */
  readonly isCut?: boolean;
  /** Leads to the state, once the page is there. */
  readonly act?: (page: Page) => Promise<void>;
  /** A text that is on the page when it has come. */
  readonly shows: string;
  /** In the order in which they follow. */
  readonly steps?: readonly Step[];
  /** Actions that the page has sent by the end. */
  readonly sends?: readonly Sent[];
  /** Opens places for more texts from outside, all of which are `text`. */
  readonly opens?: (page: Page, text: string) => Promise<void>;
}

/** An action as it was sent. */
export interface Sent {
  readonly path: string;
  readonly body: unknown;
}

/** RFC 3339, so long before NOW. */
export function ago(ms: number): string {
  return new Date(Date.parse(NOW) - ms).toISOString();
}
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
