import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_QUEUE, MINUTE } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Hide } from "../../../shared/redaction/hide.ts";
import { digestOf } from "../../../shared/runtime/digest.ts";
import {
  completeLetter,
  composeLetter,
  MAX_OWNER_CHARACTERS,
  summarizeAttempt,
  toPlain,
} from "../../../shared/runtime/letters/compose-letter.ts";
import type { DeadLetter } from "../../../shared/runtime/letters/dead-letter.ts";
import {
  type DeadLetters,
  type FailedRun,
  isNewDeath,
  type LetterKey,
  type NoteFailure,
} from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import { packageVersion } from "../../platform/package-version.ts";

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

const DEAD =
  "the key is dead; it is tried again every 10 to 15 minutes, and when its object changes; see capstan dlq show FUNCTION KEY";

const EXPIRE_EVERY_MS = 60 * MINUTE;

/** Their reads are kept in memory. */
const MAX_UNSTORED = 100;

/**
 * Turns failures into dead letters: notes every attempt, and writes the letter of a key that dies. Logs failures
 * that cannot be stored; after one at a death the call also rejects, and the queue lets the key die later. Lets old
 * letters expire every hour.
 */
export function createRecorder({ deadLetters, functions, clock, log }: RecorderOptions): Recorder {
  const builds = new Map<string, Promise<DeadLetter["build"]>>();
  /** Writes that are not over, by function and key: the failures of a key are written in the order of the calls. */
  const pending = new Map<string, Promise<void>>();
  const buildOf = (name: string): Promise<DeadLetter["build"]> => {
    const known = builds.get(name) ?? describeBuild(functions.find(({ spec }) => spec.name === name));
    builds.set(name, known);
    return known;
  };
  const record = async (run: FailedRun): Promise<void> => {
    const hide = await deadLetters.hide();
    const { function: name, key, death } = run;
    const at = { function: name, key: key.slice(0, 480) };
    const { letter, isDropped } = await lookUp(deadLetters, at, run);
    if (run.fenced === true) return complete(run, letter, hide);
    // The process that began to write it has been killed after that.
    if (letter !== undefined && isLetterOf(letter, run)) return;
    const attempt = summarizeAttempt(run, clock.now(), hide);
    const history = await deadLetters.noteAttempt(at, attempt);
    if (death === undefined || isDropped) return;
    const build = await buildOf(name);
    const context = { build, history, hide };
    const composed = await composeLetter({ ...run, death }, context).catch((error: unknown) => {
      // Else the key could never die.
      log.warn({ function: name, key: at.key, error }, "what the run read cannot be written down");
      return composeLetter({ ...run, death, record: undefined }, context);
    });
    await deadLetters.put(composed);
    if (isNewDeath(run)) log.warn({ function: name, key: at.key, reason: death.reason }, DEAD);
  };
  /** A worker that had lost its lease comes back with what its run has read. */
  const complete = async (
    { owner, record: recorded }: FailedRun,
    letter: DeadLetter | undefined,
    hide: Hide,
  ) => {
    if (recorded === undefined || letter === undefined || letter.run !== undefined) return;
    if (!isAfterRunOf(letter, owner)) return;
    await deadLetters.put(await completeLetter(letter, recorded, hide));
  };
  const recordKept = keepingUnstored(record);
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
      const id = `${run.function}|${run.key}`;
      const noted = (pending.get(id) ?? Promise.resolve()).then(() => recordKept(run));
      const settled = noted.catch((error: unknown) =>
        log.warn({ function: run.function, key: run.key.slice(0, 480), error }, "failure not recorded"),
      );
      pending.set(id, settled);
      await settled;
      if (pending.get(id) === settled) pending.delete(id);
      if (run.death !== undefined) await noted;
    },
    [Symbol.asyncDispose]: async () => {
      cancel();
      await Promise.all(pending.values());
    },
  };
}

interface Known {
  readonly letter: DeadLetter | undefined;
  /** A person has dropped the letter of this death: it stays so until the key is revived and dies again. */
  readonly isDropped: boolean;
}

/** Looks for the letter that a run may change. A damaged one is as good as none. */
async function lookUp(deadLetters: DeadLetters, at: LetterKey, run: FailedRun): Promise<Known> {
  const none = { letter: undefined, isDropped: false };
  if (run.death === undefined && run.fenced !== true) return none;
  const isOld = run.death !== undefined && !isNewDeath(run);
  return deadLetters.get(at).then(
    (letter) => ({ letter, isDropped: isOld && letter === undefined }),
    () => none,
  );
}

/**
 * Keeps the last runs whose letters could not be stored: a process that reports the death again may not know their
 * reads.
 */
function keepingUnstored(record: NoteFailure): NoteFailure {
  const unstored = new Map<string, FailedRun>();
  return async (reported) => {
    const id = `${reported.function}|${reported.key}`;
    const kept = unstored.get(id);
    const isSameRun = kept !== undefined && kept.owner === reported.owner && reported.record === undefined;
    const run = isSameRun ? { ...kept, death: reported.death } : reported;
    try {
      await record(run);
      unstored.delete(id);
    } catch (error) {
      if (run.death !== undefined && unstored.size < MAX_UNSTORED) unstored.set(id, run);
      throw error;
    }
  };
}

/** Whether it was written at this death, after this run: what is known without that run cannot improve it. */
function isLetterOf(letter: DeadLetter, { death, owner, record }: FailedRun): boolean {
  const isSameDeath = letter.deadSince === death?.since.toISOString();
  return record === undefined && isSameDeath && isAfterRunOf(letter, owner);
}

function isAfterRunOf({ attempts }: DeadLetter, owner: string | undefined): boolean {
  return owner !== undefined && attempts.at(-1)?.owner === owner.slice(0, MAX_OWNER_CHARACTERS);
}

async function describeBuild(fn: AnyFunction | undefined): Promise<DeadLetter["build"]> {
  const { name, owns, ownsOn, calls, queue } = fn?.spec ?? {};
  const config = toPlain({ name, owns, ownsOn, calls, queue: { ...DEFAULT_QUEUE, ...queue } });
  const gitSha = await checkedOutCommit(fileURLToPath(new URL("../../..", import.meta.url)));
  return {
    version: packageVersion(),
    ...(gitSha === undefined ? {} : { gitSha }),
    configDigest: await digestOf(config),
  };
}

/**
 * Returns the commit that the working tree at `root` has checked out, as 40 hexadecimal digits; `undefined` in a
 * package or an image. Also in a worktree of git, whose `.git` is a file, and for a branch that git has packed.
 */
export async function checkedOutCommit(root: string): Promise<string | undefined> {
  const link = /^gitdir: (.+)$/m.exec(await textOf(join(root, ".git")))?.[1];
  const own = link === undefined ? join(root, ".git") : resolve(root, link);
  const head = (await textOf(join(own, "HEAD"))).trim();
  const branch = /^ref: (.+)$/.exec(head)?.[1];
  if (branch === undefined) return asCommit(head);
  const shared = resolve(own, (await textOf(join(own, "commondir"))).trim());
  return asCommit((await textOf(join(shared, branch))).trim()) ?? (await packedCommit(shared, branch));
}

async function packedCommit(folder: string, branch: string): Promise<string | undefined> {
  const lines = (await textOf(join(folder, "packed-refs"))).split("\n");
  return asCommit(lines.find((line) => line.endsWith(` ${branch}`))?.split(" ")[0]);
}

function asCommit(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{40}$/.test(text) ? text : undefined;
}

/** Returns an empty text where the file does not exist or is a folder. */
function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
