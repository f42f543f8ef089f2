const DECIMAL = /^(0|[1-9][0-9]*)$/;

/**
 * Whether version `a` is at least `b`. Compare only versions of one kind on one server: by length, then as text,
 * never as numbers (they outgrow 2^53). Other texts are not comparable: false.
 */
export function isAtLeast(a: string | undefined, b: string): boolean {
  if (a === undefined || !DECIMAL.test(a) || !DECIMAL.test(b)) return false;
  return a.length === b.length ? a >= b : a.length > b.length;
}

/** The newest of these versions; `0` of none. */
export function newestOf(versions: readonly { readonly resourceVersion?: string | undefined }[]): string {
  return versions.reduce(
    (newest, { resourceVersion = "0" }) => (isAtLeast(newest, resourceVersion) ? newest : resourceVersion),
    "0",
  );
}
