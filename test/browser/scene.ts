import type { Page } from "playwright-core";
import type { ErrorBody } from "../../infra/console/api/error.ts";

/** The time in all scenes, by the clock of the server. */
export const NOW = "2026-11-23T03:12:00Z";

/** Answer of the API: a body, or an error. */
export type SceneAnswer = object | { readonly error: ErrorBody };

/** One state of a page, as a person may meet it. */
export interface Scene {
  /** Of its snapshot and its screenshots. */
  readonly name: string;
  /** Path and query of the page. */
  readonly path: string;
  /** By topic, or by its path without the query. A topic that is missing is not there (404); one without an answer never comes. */
  readonly answers: { readonly [topic: string]: SceneAnswer | undefined };
  /** The stream is cut as soon as it begins. */
  readonly isCut?: boolean;
  /** Leads to the state, once the page is there. */
  readonly act?: (page: Page) => Promise<void>;
  /** A text that is on the page when it has come. */
  readonly shows: string;
}

/** RFC 3339, so long before NOW. */
export function ago(ms: number): string {
  return new Date(Date.parse(NOW) - ms).toISOString();
}
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
