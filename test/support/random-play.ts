import fc from "fast-check";
import { playAgain, SEED } from "./seed.ts";

export interface RandomPlay<T> {
  /** For the line that says how much was played. */
  readonly name: string;
  readonly values: fc.Arbitrary<T>;
  /** Values of one call of `play`. */
  readonly atOnce: number;
  /** Played however long it takes: what any machine can do. */
  readonly atLeast: number;
  /** Another batch begins as long as less than this has passed. `CAPSTAN_PLAY_MS` makes it longer. */
  readonly budgetMs: number;
}

/**
 * Plays random values, batch after batch, for as long as the budget lasts, and prints how many there were: a slow
 * machine plays fewer, and fails no sooner. The error of a batch names the seed that begins with this batch.
 */
export async function playRandomly<T>(
  { name, values, atOnce, atLeast, budgetMs }: RandomPlay<T>,
  play: (batch: readonly T[]) => Promise<void>,
): Promise<void> {
  const limitMs = Number(process.env["CAPSTAN_PLAY_MS"] ?? budgetMs);
  const startedAt = performance.now();
  const spentMs = (): number => performance.now() - startedAt;
  let played = 0;
  for (let seed = SEED; played < atLeast || spentMs() < limitMs; seed += 1) {
    try {
      await play(fc.sample(values, { numRuns: atOnce, seed }));
    } catch (cause) {
      throw new Error(`${cause instanceof Error ? cause.message : cause}\n\n${playAgain(seed)}`, { cause });
    }
    played += atOnce;
  }
  process.stderr.write(`${name}: ${played} in ${Math.round(spentMs() / 1_000)} s, seed ${SEED}\n`);
}
