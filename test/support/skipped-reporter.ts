import type { Reporter, TestModule } from "vitest/node";
import type { Missing } from "./requires.ts";

/** Fields of a test or suite that the list reads. */
export interface Task {
  readonly type: string;
  readonly name: string;
  readonly meta: () => { readonly missing?: Missing | undefined };
  readonly parent?: Task;
}

/** At the end of a run: how many tests were left out for want of what, and which for want of `../shared`. Other skips (`-t`, `only`) are not listed. */
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
  const lacking = tests.flatMap((test) => {
    const missing = missingOf(test);
    return missing === undefined ? [] : [{ name: nameOf(test), missing }];
  });
  const byReason = Map.groupBy(lacking, ({ missing }) => textOf(missing));
  return [...byReason]
    .sort(([a], [b]) => Number(a.startsWith(OPTIONAL)) - Number(b.startsWith(OPTIONAL)) || (a < b ? -1 : 1))
    .flatMap(([text, found]) => [
      `${text} [${found.length} ${found.length === 1 ? "test" : "tests"}]`,
      ...found.flatMap(({ name, missing }) => (missing.byName === true ? [`  ${name}`] : [])),
    ]);
}

const OPTIONAL = "Not run (optional)";

function textOf({ optional, reason }: Missing): string {
  return `${optional ? OPTIONAL : "Not run"}: ${reason}`;
}

/** With the names of its suites in front. */
function nameOf({ name, parent }: Task): string {
  return parent === undefined || parent.type === "module" ? name : `${nameOf(parent)} > ${name}`;
}

function missingOf(task: Task | undefined): Missing | undefined {
  if (task === undefined || task.type === "module") return undefined;
  return task.meta().missing ?? missingOf(task.parent);
}
