import { openSource, type SourceOptions } from "../letter-source.ts";

const MAX_LETTERS = 500;

/** Returns the ends of the keys of dead letters: `default/demo-pool`. Rejects when nothing answers. */
export async function namesOfLetters(
  functionName: string,
  options: SourceOptions,
): Promise<readonly string[]> {
  await using source = await openSource(options);
  const { items } = await source.deadLetters.page({ function: functionName, limit: MAX_LETTERS });
  return items.map(({ key }) => key.slice(key.lastIndexOf("|") + 1));
}
