/** Returns the places of values between unknown ones: no line reaches them. */
export function loneValues(values: ArrayLike<unknown>): number[] {
  const isKnown = (at: number): boolean => typeof values[at] === "number";
  return Array.from({ length: values.length }, (_, at) => at).filter(
    (at) => isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1),
  );
}
