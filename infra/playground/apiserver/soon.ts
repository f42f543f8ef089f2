/**
 * A value, or the promise of it where a webhook must be asked first. A present value costs no turn of the event loop.
 */
export type Soon<T> = T | Promise<T>;

/** Returns the result of `use` for a value, as soon as the value itself. */
export function useSoon<T, U>(value: Soon<T>, use: (value: T) => U): Soon<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** Resolves all values together. */
export function allSoon<T>(values: readonly Soon<T>[]): Soon<readonly T[]> {
  // Without a promise among them they are values already.
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]);
}
