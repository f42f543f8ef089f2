import { appendFileSync } from "node:fs";
import { describe, type SuiteAPI } from "vitest";

/** File that collects what was skipped, one line each; the reporter prints it at the end of a run. */
const SKIPPED_FILE = process.env["CAPSTAN_SKIPPED_FILE"];

/**
 * `describe` for tests that need a server or binary. `missing` says what is not there and what to install; with it
 * the suite is skipped and listed at the end, or fails when CI is set. `optional` suites are skipped in CI as well:
 * the real API server, which not every machine can build (decisions.md 12).
 */
export function describeWith(
  missing: string | undefined,
  options: { readonly optional?: boolean } = {},
): SuiteAPI {
  if (missing === undefined) return describe;
  const inCi = process.env["CI"] !== undefined && process.env["CI"] !== "";
  if (inCi && options.optional !== true) throw new Error(`CI must not skip tests: ${missing}`);
  if (SKIPPED_FILE !== undefined) appendFileSync(SKIPPED_FILE, `${missing}\n`);
  return describe.skip as SuiteAPI;
}
