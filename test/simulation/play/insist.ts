/** Makes an edit again and again, with a pause after each refusal, until it is accepted or has been tried so often. */
export async function insist(
  edit: () => Promise<unknown>,
  pause: () => Promise<unknown>,
  mostTries = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    try {
      await edit();
      return;
    } catch {
      await pause();
    }
  }
}
