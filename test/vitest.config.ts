import { defineConfig } from "vitest/config";
import { skippedReporter } from "./support/skipped-reporter.ts";

interface How {
  readonly timeoutMs: number;
  readonly exclude?: string[];
  /** Every file has modules of its own. */
  readonly isolate?: boolean;
}

const project = (name: string, include: string[], { timeoutMs, exclude = [], isolate = true }: How) => ({
  extends: true as const,
  test: { name, include, exclude, isolate, testTimeout: timeoutMs, hookTimeout: timeoutMs },
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
      project("unit", UNIT, { timeoutMs: 10_000, isolate: false }),
      project("infra", ["test/infra/**/*.test.ts"], { timeoutMs: 30_000, exclude: LONG }),
      project("long", LONG, { timeoutMs: 180_000 }),
      project("simulation", ["test/simulation/**/*.test.ts"], { timeoutMs: 180_000 }),
      project("system", ["test/system/**/*.test.ts"], { timeoutMs: 180_000 }),
    ],
    coverage: { provider: "v8", include: ["functions/**/*.ts", "shared/**/*.ts"] },
  },
});
