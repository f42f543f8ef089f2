import { describe } from "vitest";
import { SHARED } from "./shared.ts";

/** Why the tests of a suite do not run; the reporter counts by it. */
export interface Missing {
  /** The missing server or binary and how to install it. */
  readonly reason: string;
  /** No failure in CI either. */
  readonly optional: boolean;
  /** The tests are listed with their names, not only counted. */
  readonly byName?: boolean;
}

declare module "vitest" {
  interface TaskMeta {
    missing?: Missing;
  }
}

interface DescribeWith {
  (name: string, tests: () => void): void;
  (name: string, options: { readonly concurrent?: boolean }, tests: () => void): void;
}

/**
 * `describe` for tests that need a server or binary. `missing` names the missing one and how to install it; with it
 * the suite is skipped and listed at the end, or its file fails when CI is set. `optional` suites are skipped in CI
 * as well: the real API server, which not every machine can build.
 */
export function describeWith(
  missing: string | undefined,
  { optional = false, byName = missing?.startsWith(SHARED) === true }: Partial<Omit<Missing, "reason">> = {},
): DescribeWith {
  if (missing === undefined) return describe as DescribeWith;
  const ci = process.env["CI"] ?? "";
  // Not every machine has `../shared` either: `sharedMissing` begins with the path.
  if (ci !== "" && !optional && !byName) throw new Error(`with CI set, no test may be left out: ${missing}`);
  const meta = { missing: { reason: missing, optional: optional || byName, byName } };
  return (name: string, options: object, tests: () => void = options as () => void) =>
    describe(name, { ...(typeof options === "function" ? {} : options), skip: true, meta }, tests);
}
