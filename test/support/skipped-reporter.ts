import type { Reporter, TestModule } from "vitest/node";
import type { Missing } from "./requires.ts";

/** Fields of a test or suite that the list reads. */
export interface Task {
  readonly type: string;
  readonly meta: () => { readonly missing?: Missing | undefined };
  readonly parent?: Task;
}

/** At the end of a run: how many tests were left out for want of what. Other skips (`-t`, `only`) are not listed. */
export const skippedReporter: Reporter = {
  onTestRunEnd(modules) {
    const lines = leftOut(modules.flatMap(skippedTests));
    if (lines.length > 0) console.log(`${lines.join("\n")}\n`);
  },
};

function skippedTests(module: TestModule): readonly Task[] {
  return [...module.children.allTests("skipped")] as readonly Task[];
}

/** One line per reason, sorted; what may be missing in CI comes last. */
export function leftOut(tests: readonly Task[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const test of tests) {
    const missing = missingOf(test);
    if (missing === undefined) continue;
    const text = `${missing.optional ? OPTIONAL : "Not run"}: ${missing.reason}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .map(([text, count]) => `${text} [${count} ${count === 1 ? "test" : "tests"}]`)
    .sort((a, b) => Number(a.startsWith(OPTIONAL)) - Number(b.startsWith(OPTIONAL)) || (a < b ? -1 : 1));
}
const OPTIONAL = "Not run (optional)";

function missingOf(task: Task | undefined): Missing | undefined {
  if (task === undefined || task.type === "module") return undefined;
  return task.meta().missing ?? missingOf(task.parent);
}
