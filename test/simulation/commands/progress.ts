/** Shows the progress of a long task to the person who waits for it. */
export interface Progress {
  /** One more is done; so many have failed so far. */
  advance(failed: number): void;
}

/** A line on stderr: rewritten in place on a terminal, otherwise a new one at every tenth. */
export function createProgress(what: string, total: number): Progress {
  const { stderr } = process;
  let done = 0;
  return {
    advance(failed) {
      done += 1;
      const isTenth = Math.floor((10 * done) / total) > Math.floor((10 * (done - 1)) / total);
      if (!stderr.isTTY && !isTenth) return;
      const line = `${what} ${done} of ${total}, ${failed} failed`;
      stderr.write(stderr.isTTY && done < total ? `\r${line}` : `${stderr.isTTY ? "\r" : ""}${line}\n`);
    },
  };
}
