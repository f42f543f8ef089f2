import { readFile } from "node:fs/promises";
import { DEFAULT_QUEUE, MINUTE } from "../../shared/runtime/backoff.ts";
import { composeLetter, summarizeAttempt, toPlain } from "../../shared/runtime/compose-letter.ts";
import type { DeadLetter } from "../../shared/runtime/dead-letter.ts";
import type { DeadLetters, FailedRun, NoteFailure } from "../../shared/runtime/dead-letters-port.ts";
import type { AnyFunction } from "../../shared/runtime/define-function.ts";
import { digestOf } from "../../shared/runtime/digest.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import { packageVersion } from "../config.ts";

export interface RecorderOptions {
  readonly deadLetters: DeadLetters;
  readonly functions: readonly AnyFunction[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Disposing waits for the letters that are being written. */
export interface Recorder extends AsyncDisposable {
  readonly noteFailure: NoteFailure;
}

const EXPIRE_EVERY_MS = 60 * MINUTE;

/**
 * Turns failures into dead letters: notes every attempt, and writes the letter when the key has died. What cannot be
 * stored is logged; the ledger still knows the dead key. Lets old letters expire every hour.
 */
export function createRecorder({ deadLetters, functions, clock, log }: RecorderOptions): Recorder {
  const builds = new Map<string, Promise<DeadLetter["build"]>>();
  const pending = new Set<Promise<void>>();
  const buildOf = (name: string): Promise<DeadLetter["build"]> => {
    const known = builds.get(name) ?? describeBuild(functions.find(({ spec }) => spec.name === name));
    builds.set(name, known);
    return known;
  };
  const record = async (run: FailedRun): Promise<void> => {
    const hide = await deadLetters.hide();
    const { function: name, key, death } = run;
    const attempt = summarizeAttempt(run, clock.now(), hide);
    const history = await deadLetters.noteAttempt({ function: name, key: key.slice(0, 480) }, attempt);
    if (death === undefined) return;
    const build = await buildOf(name);
    await deadLetters.put(await composeLetter({ ...run, death }, { build, history, hide }));
    log.warn(
      { function: name, key: key.slice(0, 480), reason: death.reason },
      "the key is dead until its object changes; see capstan dlq show FUNCTION KEY",
    );
  };
  let cancel = (): void => undefined;
  const expireLater = (): void => {
    cancel = clock.after(EXPIRE_EVERY_MS, () => {
      deadLetters.expire().catch((error: unknown) => log.debug({ error }, "dead letters did not expire"));
      expireLater();
    });
  };
  expireLater();
  return {
    noteFailure: async (run) => {
      const noted = record(run).catch((error: unknown) =>
        log.warn({ function: run.function, key: run.key.slice(0, 480), error }, "failure not recorded"),
      );
      pending.add(noted);
      await noted;
      pending.delete(noted);
    },
    [Symbol.asyncDispose]: async () => {
      cancel();
      await Promise.all(pending);
    },
  };
}

async function describeBuild(fn: AnyFunction | undefined): Promise<DeadLetter["build"]> {
  const { name, owns, ownsOn, calls, queue } = fn?.spec ?? {};
  const config = toPlain({ name, owns, ownsOn, calls, queue: { ...DEFAULT_QUEUE, ...queue } });
  const gitSha = await checkedOutCommit();
  return {
    version: packageVersion(),
    ...(gitSha === undefined ? {} : { gitSha }),
    configDigest: await digestOf(config),
  };
}

/** The commit of the working tree that this code runs from; undefined in a package or an image. */
async function checkedOutCommit(): Promise<string | undefined> {
  const git = (path: string): Promise<string> =>
    readFile(new URL(`../../.git/${path}`, import.meta.url), "utf8").catch(() => "");
  const head = (await git("HEAD")).trim();
  const sha = head.startsWith("ref: ") ? (await git(head.slice("ref: ".length))).trim() : head;
  return /^[0-9a-f]{40}$/.test(sha) ? sha : undefined;
}
