import { devNull } from "node:os";
import { messageOf } from "../../../shared/function/errors.ts";
import type { Problem } from "../../operate/explain/problem.ts";
import { silenceProblems } from "../../operate/explain/problems-of-platform.ts";
import { capabilitiesOf } from "../../queue/backends/open.ts";
import { type LetterSource, openSource, QUIET, type SourceOptions } from "../letter-source.ts";
import { queueOf } from "../queue-options.ts";

/**
 * Opens the queue, or, while its Redis is away, nothing of it: what the API server has can be said all the same. Returns
 * what is said first then.
 */
export async function openReachable(
  options: SourceOptions,
): Promise<{ source: LetterSource; away: readonly Problem[] }> {
  const named = queueOf(options, QUIET);
  try {
    return { source: await openSource(options, named), away: [] };
  } catch (error) {
    if (!capabilitiesOf(named).isShared) throw error;
    const message = `queue unreachable: ${messageOf(error)}: no function runs, and what they did and wait for in the queue is not known; start it`;
    const source = await openSource({ deadLetters: devNull }, { url: "memory" });
    const [problem] = silenceProblems({ silences: [{ message }] });
    return { source, away: problem === undefined ? [] : [{ ...problem, object: "queue" }] };
  }
}
