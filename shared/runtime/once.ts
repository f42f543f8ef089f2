/** Returns a function that makes its result at the first call. For what few processes need: no start pays for it. */
export function once<T>(make: () => T): () => T {
  let made: { readonly result: T } | undefined;
  return () => {
    made ??= { result: make() };
    return made.result;
  };
}
