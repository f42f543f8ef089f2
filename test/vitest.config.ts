import { defineConfig } from "vitest/config";
import { skippedReporter } from "./support/skipped-reporter.ts";

interface How {
  readonly exclude?: string[];
  /** Every file has modules of its own. */
  readonly isolate?: boolean;
}

/** Of a test that hangs: no machine is so slow. Longer than HANG_MS of support/eventually.ts, which knows more. */
const TIMEOUT_MS = 10 * 60_000;

const project = (name: string, include: string[], { exclude = [], isolate = true }: How = {}) => ({
  extends: true as const,
  test: { name, include, exclude, isolate, testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS },
});

/** Thousands of sequences, killed processes, cut connections, other programs: not part of the quick gate. */
const LONG = [
  "test/infra/**/*-{model,outages,chaos,fuzz,cluster,as-test}.test.ts",
  "test/infra/**/{differential,build,kubectl*}.test.ts",
];

const UNIT = ["functions", "shared", "invariants", "support"].map((name) => `test/${name}/**/*.test.ts`);

export default defineConfig({
  test: {
    // Infra and system tests mostly wait for servers, not for a core.
    maxWorkers: 4,
    root: new URL("..", import.meta.url).pathname,
    reporters: ["default", skippedReporter],
    setupFiles: ["test/support/seeded.ts"],
    projects: [
      // Nothing that they import keeps a state, so they share their modules.
      project("unit", UNIT, { isolate: false }),
      project("infra", ["test/infra/**/*.test.ts"], { exclude: LONG }),
      project("long", LONG),
      project("simulation", ["test/simulation/**/*.test.ts"]),
      project("system", ["test/system/**/*.test.ts"]),
    ],
    coverage: { provider: "v8", include: ["functions/**/*.ts", "shared/**/*.ts"] },
  },
});
