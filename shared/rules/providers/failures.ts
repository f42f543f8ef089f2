import { FAILURE } from "../../contract/failure.ts";
import { readString } from "../../contract/fields.ts";
import type { Found } from "../../contract/referenced.ts";
import { truncate } from "../conditions/truncate.ts";

/** The fields in which a provider object reports a terminal failure, under every contract version. */
export const FAILURE_FIELDS = [FAILURE.failureReason, FAILURE.failureMessage] as const;

/** A terminal failure as `status.deprecated.v1beta1` shows it. No decision rests on it. */
export interface Failure {
  readonly failureReason?: string | undefined;
  readonly failureMessage?: string | undefined;
}

/** The longest reason that the schemas allow, in UTF-16 units. */
const MAX_REASON = 256;
const MAX_MESSAGE = 10_240;

/** Returns the failure that an object reports, and whose it is. An empty text, or another value, reports nothing. */
export function reportedFailure(own: Found | undefined): Failure {
  if (own === undefined) return {};
  const [reason, message] = FAILURE_FIELDS.map((path) => readString(own.object, path).value ?? "");
  const { apiVersion, kind, metadata } = own.object;
  const source = `${apiVersion}, Kind=${kind} with name "${metadata.name}"`;
  return {
    ...(reason ? { failureReason: truncate(reason, MAX_REASON) } : {}),
    ...(message
      ? {
          failureMessage: truncate(
            `Failure detected from referenced resource ${source}: ${message}`,
            MAX_MESSAGE,
          ),
        }
      : {}),
  };
}

/** Returns reason and message each of the last report that has one. Stored ones are never cleared. */
export function lastingFailure(stored: Failure | undefined, reports: readonly Failure[]): Failure {
  const last = (field: keyof Failure) =>
    reports.findLast((report) => report[field] !== undefined)?.[field] ?? stored?.[field];
  return { failureReason: last("failureReason"), failureMessage: last("failureMessage") };
}
