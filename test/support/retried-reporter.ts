import type { Reporter, TestCase } from "vitest/node";

/** Fields of a test that the list reads. */
export interface Retried {
  readonly fullName: string;
  readonly diagnostic: () => { readonly flaky: boolean } | undefined;
  readonly result: () => {
    readonly errors?: readonly { readonly message: string; readonly diff?: string }[] | undefined;
  };
}

/** At the end of a run: the tests that passed only when they were run once more, each with its first failure. */
export const retriedReporter: Reporter = {
  onTestRunEnd(modules) {
    const lines = unsteady(modules.flatMap((module): TestCase[] => [...module.children.allTests("passed")]));
    if (lines.length > 0) console.log(`${lines.join("\n")}\n`);
  },
};

/** A line for each, its message and what differed. */
export function unsteady(tests: readonly Retried[]): readonly string[] {
  return tests
    .filter((test) => test.diagnostic()?.flaky === true)
    .flatMap((test) => {
      const [first] = test.result().errors ?? [];
      const { message = "no message", diff = "" } = first ?? {};
      return [`Passed only once more: ${test.fullName}`, `  ${message}`, ...(diff === "" ? [] : [diff])];
    });
}
