/** Of all random values of this run, 31 bits. `CAPSTAN_SEED` plays an earlier run again. */
export const SEED: number = Number(process.env["CAPSTAN_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** How to have the same random values again; for the message of a failure. */
export function playAgain(seed: number): string {
  return `Seed ${seed}. Play it again: CAPSTAN_SEED=${seed} npm test -- <the file of this test>`;
}
