import { systemClock } from "../../../infra/platform/clock.ts";
import { openBackend } from "../../../infra/queue/backends/open.ts";
import { createRecorder } from "../../../infra/queue/letters/recorder.ts";
import { DEFAULT_QUEUE } from "../../../shared/function/backoff.ts";
import { openShortLetterQueue } from "../short-letter-queue.ts";
import { silentLog } from "../silent-log.ts";

/**
 * A worker process that kills itself `before` or `after` it has written the letter of a key that dies:
 * `node mortal-worker.ts <redis url> <function> before|after [file for letters]`.
 */
const [url = "", functionName = "", when = "", file] = process.argv.slice(2);
const [clock, log] = [systemClock, silentLog];
const backend = await openBackend({ url });
const deadLetters = await backend.letters({ file, clock, log, writer: true });
const recorder = createRecorder({ deadLetters, functions: [], clock, log });
const die = (): boolean => process.kill(process.pid, "SIGKILL");
const { queue } = await openShortLetterQueue(url, functionName, async (run) => {
  if (when === "before") die();
  await recorder.noteFailure(run);
  die();
});
await queue.work({ ...DEFAULT_QUEUE, attempts: 1, owner: "mortal" }, async () => ({
  type: "error",
  failure: { class: "Transient", reason: "Broken", message: "no" },
  terminal: false,
  requested: false,
  fences: [],
  record: {
    runId: "r1",
    startedAt: clock.now(),
    durationMs: 1,
    reads: [],
    writes: [],
    thrown: new Error("no"),
    accepted: false,
  },
}));
