import { defineConfig } from "vitest/config";
import { skippedReporter } from "./support/skipped-reporter.ts";

const project = (name: string, include: string[], timeoutMs: number, exclude: string[] = []) => ({
  extends: true as const,
  test: { name, include, exclude, testTimeout: timeoutMs, hookTimeout: timeoutMs },
});

/** Thousands of sequences, killed processes, cut connections: not part of the quick gate. */
const LONG = ["test/infra/**/*-{model,outages,chaos}.test.ts", "test/infra/**/differential.test.ts"];

export default defineConfig({
  test: {
    // Infra and system tests mostly wait for servers, not for a core.
    maxWorkers: 4,
    root: new URL("..", import.meta.url).pathname,
    reporters: ["default", skippedReporter],
    projects: [
      project(
        "unit",
        [
          "test/functions/**/*.test.ts",
          "test/shared/**/*.test.ts",
          "test/invariants/**/*.test.ts",
          "test/support/**/*.test.ts",
        ],
        10_000,
      ),
      project("infra", ["test/infra/**/*.test.ts"], 30_000, LONG),
      project("long", LONG, 180_000),
      project("simulation", ["test/simulation/**/*.test.ts"], 180_000),
      project("system", ["test/system/**/*.test.ts"], 180_000),
    ],
    coverage: { provider: "v8", include: ["functions/**/*.ts", "shared/**/*.ts"] },
  },
});
