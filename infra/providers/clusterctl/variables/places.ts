/** Returns how many of ascending `places` are not behind `at`, in logarithmic time. */
export function countUpTo(places: readonly number[], at: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the line of a place in a text, from 1. The text is read once, when it is asked first. */
export function lineIndex(text: string): (at: number) => number {
  let ends: number[] | undefined;
  return (at) => {
    ends ??= lineFeeds(text);
    // A line feed belongs to the line that it ends.
    return countUpTo(ends, at - 1) + 1;
  };
}

function lineFeeds(text: string): number[] {
  const ends: number[] = [];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) ends.push(at);
  return ends;
}
